// The status and body of a fault, in the format of its operation.
import { native } from '../kit/dialect.ts'
import type { Fault } from '../kit/fault.ts'
import type { RequestScope } from './scope.ts'

export function faultAnswer(scope: RequestScope, fault: Fault): { status: number; body: unknown } {
  const operation = scope.route?.operation
  const own = operation?.faultBody?.(fault, scope, scope.read as never)
  return own ? { status: fault.status, body: own } : (operation?.dialect ?? native)(fault, scope.id)
}
