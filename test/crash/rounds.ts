const SOME_MS = 4 * 60_000

/** Up to `most` rounds: as many as fit into some minutes, and at least `least`. A busy machine does fewer. */
export function* rounds(most: number, least: number): Generator<number> {
  const untilMs = performance.now() + SOME_MS
  for (let round = 0; round < most && (round < least || performance.now() < untilMs); round++) yield round
}
