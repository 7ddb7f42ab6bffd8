import { service } from '../../kit/service.ts'
import * as errors from './errors.ts'

export const errorsService = service({ name: 'errors', what: 'Captured errors, newest first', operations: [errors] })
