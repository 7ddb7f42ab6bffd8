// Divides a capacity among its users: nobody may take more than is left for the others. A single user gets half of it, the
// next one half of the rest, and so on, so only several users together can exhaust it.

export type Shares = {
  /** False if the share of this user would be larger than what is left. */
  take(user: string, amount: number): boolean
  give(user: string, amount: number): void
  taken(): number
}

export function openShares(capacity: number): Shares {
  const shares = new Map<string, number>()
  let free = capacity
  return {
    take: (user, amount) => {
      const share = (shares.get(user) ?? 0) + amount
      if (share > free) return false
      shares.set(user, share)
      free -= amount
      return true
    },
    give: (user, amount) => {
      const share = (shares.get(user) as number) - amount
      if (share === 0) shares.delete(user)
      else shares.set(user, share)
      free += amount
    },
    taken: () => capacity - free,
  }
}
