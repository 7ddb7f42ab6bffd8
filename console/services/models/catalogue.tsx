import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Model } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Id } from '../../parts/copy.tsx'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Find } from '../../parts/find.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { Money } from '../../parts/money.tsx'
import { Segments } from '../../parts/segments.tsx'
import { ModelTabs, WITHIN } from './queries.tsx'

const KINDS = [
  ['', 'All'],
  ['chat', 'Chat'],
  ['embedding', 'Embeddings'],
] as const

export function Catalogue() {
  const [kind, setKind] = useParam('kind')
  const [text, setText] = useParam('q')
  useCode('listModels', 'GET', '/v1/models', {})
  const wanted = text.toLowerCase()
  const read = async (_: object, options: { signal: AbortSignal }) => {
    const { data } = await stoa.listModels({}, options)
    const isWanted = (model: Model) =>
      (!kind || model.kind === kind) && `${model.id} ${model.owned_by}`.toLowerCase().includes(wanted)
    return { data: data.filter(isWanted), next: '' }
  }
  return (
    <List
      title="Models and prices"
      heading="Models"
      within={WITHIN}
      about="What can be called here, and what a million tokens cost."
      top={<ModelTabs />}
      noun={['model', 'models']}
      query={{ ...pages(['models', 'list', kind, text], read), placeholderData: before => before }}
      idOf={({ id }) => id}
      columns={COLUMNS}
      filters={
        <>
          <Find label="Find by name or provider" value={text} onChange={one => setText(one, true)} />
          <Segments label="Kind" options={KINDS} chosen={kind as ''} onChoose={one => setKind(one)} />
        </>
      }
      isFiltered={kind !== '' || text !== ''}
      onClear={() => {
        setKind('')
        setText('')
      }}
      details={(model, steps) => <ModelDetails of={model} {...steps} />}
      empty={{ icon: 'chip', title: 'No model yet', says: 'The operator of this host adds providers of models.' }}
    />
  )
}

const COLUMNS: Column<Model>[] = [
  { head: 'Model', className: 'p1', cell: ({ id }) => id },
  { head: 'Provider', className: 'p3', cell: one => one.owned_by },
  { head: 'Kind', className: 'p4', cell: ({ kind }) => (kind === 'chat' ? 'Chat' : 'Embeddings') },
  { head: 'Input, 1 M', className: 'r', cell: ({ price }) => <Price cents={price?.input} /> },
  { head: 'Cached input', className: 'r low', cell: ({ price }) => <Price cents={price?.cachedInput} /> },
  {
    head: 'Output, 1 M',
    className: 'r p2',
    cell: ({ price, kind }) => <Price cents={kind === 'chat' ? price?.output : undefined} />,
  },
]

const Price = ({ cents }: { cents: number | undefined }) =>
  cents === undefined ? <span className="zero">—</span> : <Money cents={cents} exact />

function ModelDetails({ of, ...steps }: { of: Model } & Steps) {
  const { data } = useQuery(me)
  const { price } = of
  const cents = (one: number | undefined) => one !== undefined && <Money cents={one} exact />
  return (
    <Drawer
      title={of.id}
      sub={<Id text={of.id} show />}
      foot={
        of.kind === 'chat' && (
          <span className="right">
            <Link
              className="btn"
              data-kind="primary"
              to="/o/$org/$"
              params={{ org: data?.org ?? '', _splat: 'models/playground' }}
              search={{ model: of.id } as never}
            >
              Try in playground
            </Link>
          </span>
        )
      }
      {...steps}
    >
      <Facts of={{ Provider: of.owned_by, Kind: of.kind === 'chat' ? 'Chat' : 'Embeddings' }} />
      {price ? (
        <Facts
          title="Price of a million tokens"
          of={{
            Input: cents(price.input),
            'Cached input': cents(price.cachedInput),
            'Written to cache': cents(price.cacheWrite),
            'Cached for an hour': cents(price.cacheWriteHour),
            Output: cents(price.output),
            Reasoning: cents(price.reasoning),
            'One image': cents(price.image),
          }}
        />
      ) : (
        <p className="muted">It has no price: calls are not charged. Hosts that are prepaid refuse them.</p>
      )}
    </Drawer>
  )
}
