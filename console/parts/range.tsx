// The choice of a time: a range that moves on with the clock, or days of one's own.
import { useState } from 'react'
import { Icon } from './icon.tsx'
import { type Lens, RANGES } from './lens.ts'
import { Popover } from './popover.tsx'
import { type Between, betweenText, dayIn, dayStart } from './zone.ts'

/** `shown`: the time that the host read. */
export function RangeMenu({ lens, shown }: { lens: Lens; shown: Between | undefined }) {
  const name = RANGES.find(([range]) => range === lens.range)?.[1]
  return (
    <Popover
      label="Time"
      button={
        <>
          <Icon name="calendar" />
          {lens.isBetween ? (shown ? betweenText(shown) : 'Own time') : name}
          <Icon name="down" />
        </>
      }
    >
      {close => (
        <>
          {RANGES.map(([range, text]) => {
            const isChosen = !lens.isBetween && range === lens.range
            const choose = () => {
              close()
              lens.choose(range)
            }
            return (
              <button key={range} type="button" aria-pressed={isChosen} onClick={choose}>
                {text}
                {isChosen && <Icon name="check" small />}
              </button>
            )
          })}
          <hr />
          <OwnDays lens={lens} shown={shown} onDone={close} />
        </>
      )}
    </Popover>
  )
}

function OwnDays({ lens, shown, onDone }: { lens: Lens; shown: Between | undefined; onDone: () => void }) {
  const zone = shown?.zone ?? 'UTC'
  const [first, setFirst] = useState(() => dayIn(shown ? Date.parse(shown.from) : Date.now(), zone))
  const [last, setLast] = useState(() => dayIn(shown ? Date.parse(shown.to) - 1 : Date.now(), zone))
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    onDone()
    lens.chooseBetween(dayStart(first, zone), dayStart(last, zone, 1))
  }
  return (
    <form className="popform" onSubmit={submit}>
      <label>
        <span>First day</span>
        <input
          className="input"
          type="date"
          required
          min="1970-01-02"
          max={last}
          value={first}
          onChange={event => setFirst(event.target.value)}
        />
      </label>
      <label>
        <span>Last day</span>
        <input
          className="input"
          type="date"
          required
          min={first}
          value={last}
          onChange={event => setLast(event.target.value)}
        />
      </label>
      <button type="submit" className="btn s">
        Show these days
      </button>
      <p className="help">{`Days are those of ${zone}.`}</p>
    </form>
  )
}
