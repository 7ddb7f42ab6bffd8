export type Tone = 'success' | 'warn' | 'danger' | 'off' | 'busy' | 'live'

/** A shape, a colour and a word. */
export const Status = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="status" data-tone={tone}>
    {children}
  </span>
)
