// What other parts may use of the projects service.
export { openVerifiedHosts } from './verified-hosts.ts'
