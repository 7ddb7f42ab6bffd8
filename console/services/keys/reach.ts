/** Of a key that may read every service. */
export const READ_ONLY = 'read:*'
