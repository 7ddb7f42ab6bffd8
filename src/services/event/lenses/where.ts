// Conditions on events, as `path:is:/shop`.
import { Type } from 'typebox'
import { type Condition, FACTS, type Operator } from '../../../engines/engines.ts'
import { invalidField } from '../../../kit/check.ts'
import { string } from '../../../kit/fields.ts'
import { isStorable } from '../../../kit/storable.ts'

const CONDITIONS_MAX = 10
const VALUES_MAX = 100
const FIELDS: readonly string[] = ['event', ...FACTS]
const OPERATORS: readonly Operator[] = ['is', 'not', 'contains', 'starts', 'in', 'gt', 'lt', 'set']
const PROPERTY = /^properties\.[^:]{1,200}$/
const NUMBER = /^-?\d{1,30}(?:\.\d{1,30})?$/

export const FIELDS_TEXT = `${FIELDS.map(one => `\`${one}\``).join(', ')} or \`properties.<name>\``

export const whereInput = {
  where: Type.Optional(
    Type.Array(
      string('A condition such as `path:is:/shop`', 'path:is:/shop', {
        pattern: '^[^:]+:[a-z]+(:[^\\x00]*)?$',
        maxLength: 2_000,
      }),
      {
        maxItems: CONDITIONS_MAX,
        description: `Only events for which all of these are true, each as \`field:operator:value\`. Fields are ${FIELDS_TEXT}; operators are \`is\`, \`not\`, \`contains\`, \`starts\`, \`in\` (values separated by commas), \`gt\`, \`lt\` and \`set\` (\`true\`, the default, or \`false\`). Repeat the parameter for several`,
        examples: [['path:is:/shop']],
      },
    ),
  ),
}

export const conditionsOf = (texts: readonly string[] = []): Condition[] => texts.map(conditionFrom)

function conditionFrom(text: string): Condition {
  const [, of = '', operator = '', value = ''] = /^([^:]+):([a-z]+)(?::(.*))?$/s.exec(text) ?? []
  requireField('where', of)
  if (!(OPERATORS as readonly string[]).includes(operator)) {
    throw invalidField('where', `has the operator \`${operator}\`; there are ${OPERATORS.join(', ')}`)
  }
  if (!isStorable(value)) throw invalidField('where', 'contains text that no event can have')
  const isNumber = operator === 'gt' || operator === 'lt'
  if (isNumber && !NUMBER.test(value)) throw invalidField('where', `needs a number after \`${operator}\``)
  if (operator === 'set' && !['', 'true', 'false'].includes(value)) {
    throw invalidField('where', 'needs `true` or `false` after `set`')
  }
  const values = operator === 'in' ? value.split(',') : [value]
  if (values.length > VALUES_MAX) throw invalidField('where', `has more than ${VALUES_MAX} values after \`in\``)
  return { of, operator: operator as Operator, values }
}

export function requireField(input: string, of: string): void {
  if (FIELDS.includes(of) || (PROPERTY.test(of) && isStorable(of))) return
  throw invalidField(input, `names \`${of.slice(0, 100)}\`; there are ${FIELDS_TEXT}`)
}
