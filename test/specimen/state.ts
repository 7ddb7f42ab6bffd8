// The state of the specimen service, and the functions that declare its operations.
import { Type } from 'typebox'
import { type Opened, type Opening, serviceKit } from '../../src/kit/service.ts'

export type Specimen = { greeting: string; services: number; opened: boolean }
export const { operation, schedule, consumer } = serviceKit<Specimen>()

export async function openSpecimen(opening: Opening<{ STOA_SPECIMEN: string }>): Promise<Opened<Specimen>> {
  const { settings, services } = opening
  return { state: { greeting: settings.STOA_SPECIMEN ?? 'hello', services: services.size, opened: true } }
}

export const nullable = Type.Union([Type.String(), Type.Null()])
