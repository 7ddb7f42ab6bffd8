// What other services use of observability: the schema of events, and exceptions in them.
export { EventData, subjectOf } from './event-schema.ts'
export { EXCEPTION_PATHS, type Exception, exceptionOf, type Frame, fingerprintOf, isError } from './exception.ts'
export { RELEASE_NAMES, URL_NAMES } from './property-names.ts'
