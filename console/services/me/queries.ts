import { PermissionError } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { pages } from '../../parts/list.tsx'

export const myInvitations = pages(['my-invitations'], (after, options) => stoa.listMyInvitations(after, options))

/** An admin chose the password of the person, who may not act for themselves until they choose one of their own. */
export const isPlanted = (error: unknown) => error instanceof PermissionError
