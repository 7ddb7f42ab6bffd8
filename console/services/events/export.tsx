// The export of the events that are shown. It takes a key and not a session, so that the command is copied.
import { stringifySearch } from '../../frame/search.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import type { LensInput } from '../../parts/lens.ts'

const FORMATS = [
  ['CSV', 'csv'],
  ['JSON lines', 'ndjson'],
] as const

export const ExportDialog = ({ input, onClose }: { input: LensInput; onClose: () => void }) => (
  <Dialog
    title="Export events"
    onClose={onClose}
    foot={
      <button type="button" className="btn" onClick={onClose}>
        Close
      </button>
    }
  >
    <p>
      The export has all events of the chosen time that meet the filters, at most 400 days. It takes a secret key: put
      one in STOA_KEY and run this.
    </p>
    <CodeBlock samples={FORMATS.map(([name, format]) => ({ name, code: commandOf(input, format) }))} />
  </Dialog>
)

const commandOf = (input: LensInput, format: string) =>
  `curl "${location.origin}/v1/event/export${stringifySearch({ ...input, format })}" \\
  -H "Authorization: Bearer $STOA_KEY" --fail -o events.${format}`
