// Filters of events: each is a condition of the address, `path:is:/shop`, and a chip that can be removed.
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { stoa } from '../api.ts'
import {
  conditionFrom,
  conditionText,
  conditionWords,
  FIELDS,
  OPERATORS,
  type Operator,
  PROPERTY,
  valueText,
} from './facets.ts'
import { Icon } from './icon.tsx'
import type { Lens } from './lens.ts'
import { Popover } from './popover.tsx'

/** The host reads no more. */
const CONDITIONS_MAX = 10
const SUGGESTED = 50

export function Conditions({ lens }: { lens: Lens }) {
  const { where, setWhere } = lens
  return (
    <>
      {where.map((text, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same condition may be there twice
        <Chip key={n} text={text} onRemove={() => setWhere(where.filter((_, at) => at !== n))} />
      ))}
      {where.length < CONDITIONS_MAX && (
        <Popover
          label="Add a filter"
          className="chip-add"
          button={
            <>
              <Icon name="plus" small />
              Filter
            </>
          }
        >
          {close => (
            <AddCondition
              lens={lens}
              onAdd={text => {
                close()
                setWhere([...where, text])
              }}
            />
          )}
        </Popover>
      )}
    </>
  )
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  const condition = conditionFrom(text)
  const [says, value] = condition ? conditionWords(condition) : ['Filter', text]
  return (
    <span className="chip condition">
      <span>{says}</span>
      {value && (
        <b title={value}>
          <span className="cut">{value}</span>
        </b>
      )}
      <button type="button" aria-label={`Remove the filter: ${says} ${value}`} onClick={onRemove}>
        <Icon name="x" small />
      </button>
    </span>
  )
}

function AddCondition({ lens, onAdd }: { lens: Lens; onAdd: (text: string) => void }) {
  const list = useId()
  const [field, setField] = useState<string>('path')
  const [name, setName] = useState('')
  const [operator, setOperator] = useState<Operator>('is')
  const [value, setValue] = useState('')
  const isProperty = field === PROPERTY
  const of = isProperty ? `${PROPERTY}${name.trim()}` : field
  const takesValue = operator !== 'set' && operator !== 'unset'
  const isNumber = operator === 'gt' || operator === 'lt'
  const known = useQuery({
    queryKey: ['top', 'suggested', field, lens.input],
    queryFn: ({ signal }) => stoa.getEventTop({ ...lens.input, by: field, limit: SUGGESTED }, { signal }),
    enabled: !isProperty,
  })
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    onAdd(conditionText({ field: of, operator, value: isNumber ? value.trim() : value }))
  }
  return (
    <form className="popform" onSubmit={submit}>
      <label>
        <span>Field</span>
        <select className="input" value={field} onChange={event => setField(event.target.value)}>
          {FIELDS.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
          <option value={PROPERTY}>Property</option>
        </select>
      </label>
      {isProperty && (
        <label>
          <span>Name of the property</span>
          <input
            className="input"
            required
            maxLength={200}
            pattern="[^:]*[^:\s][^:]*"
            title="A name without a colon"
            value={name}
            onChange={event => setName(event.target.value)}
          />
        </label>
      )}
      <label>
        <span>Condition</span>
        <select className="input" value={operator} onChange={event => setOperator(event.target.value as Operator)}>
          {OPERATORS.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {takesValue && (
        <label>
          <span>{operator === 'in' ? 'Values, separated by commas' : 'Value'}</span>
          <input
            className="input"
            required
            maxLength={1_500}
            list={list}
            value={value}
            {...(isNumber && { pattern: NUMBER, inputMode: 'decimal', title: 'A number such as 12.5' })}
            onChange={event => setValue(event.target.value)}
          />
          <datalist id={list}>
            {known.data?.data.map(one => (
              <option key={one.value} value={one.value}>
                {valueText(field, one.value)}
              </option>
            ))}
          </datalist>
        </label>
      )}
      <button type="submit" className="btn s">
        Add filter
      </button>
    </form>
  )
}

const NUMBER = '-?\\d{1,30}(\\.\\d{1,30})?'
