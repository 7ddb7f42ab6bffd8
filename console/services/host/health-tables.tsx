import './host.css'
import { useQuery } from '@tanstack/react-query'
import type { TableSize } from '../../../client/stoa.js'
import { stoa } from '../../api.ts'
import { useCode } from '../../frame/code.tsx'
import { useParam } from '../../frame/search.ts'
import { Drawer } from '../../parts/drawer.tsx'
import { Facts } from '../../parts/facts.tsx'
import { Find } from '../../parts/find.tsx'
import { type Column, List, pages, type Steps } from '../../parts/list.tsx'
import { HealthTabs, WITHIN } from './queries.tsx'
import { sizeText } from './sizes.ts'

const tables = {
  queryKey: ['tables'],
  queryFn: ({ signal }: { signal: AbortSignal }) => stoa.listTables({}, { signal }),
}

export function Tables() {
  const [text, setText] = useParam('q')
  const { data } = useQuery(tables)
  const total = data?.tables.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0
  useCode('listTables', 'GET', '/v1/o11y/tables', {})
  const wanted = text.toLowerCase()
  const read = async (_: object, options: { signal: AbortSignal }) => {
    const found = (await stoa.listTables({}, options)).tables
    const shown = found.filter(({ name, service }) => `${name} ${service}`.toLowerCase().includes(wanted))
    return { data: shown.sort((a, b) => b.bytes - a.bytes), next: '' }
  }
  return (
    <List
      title="Tables"
      heading="Health"
      within={WITHIN}
      about={`The tables of the database, the largest first${data ? `: ${sizeText(total)} with their indexes` : ''}.`}
      top={<HealthTabs />}
      noun={['table', 'tables']}
      query={{ ...pages(['tables', 'list', text], read), placeholderData: before => before }}
      idOf={({ name }) => name}
      columns={columnsFor(total)}
      filters={<Find label="Find by name or service" value={text} onChange={one => setText(one, true)} />}
      isFiltered={text !== ''}
      onClear={() => setText('')}
      details={(table, steps) => <Details of={table} {...steps} />}
      empty={{ icon: 'folder', title: 'No table', says: 'The host creates its tables at its start.' }}
    />
  )
}

const columnsFor = (total: number): Column<TableSize>[] => [
  { head: 'Table', className: 'p1', cell: ({ name }) => name },
  { head: 'Service', className: 'p3', cell: ({ service }) => service },
  {
    head: 'Most rows',
    className: 'low',
    cell: ({ organisations: [most] }) => most?.org ?? <span className="zero">—</span>,
  },
  {
    head: 'Rows, estimated',
    className: 'r p4',
    cell: ({ rows }) => (
      <>
        {rows.toLocaleString()}
        <span className="phone-only"> rows</span>
      </>
    ),
  },
  { head: 'Size', className: 'r p2', cell: ({ bytes }) => sizeText(bytes) },
  {
    head: 'Share',
    className: 'fill',
    cell: ({ bytes }) => (
      <span className="meter" style={{ '--v': `${total > 0 ? (100 * bytes) / total : 0}%` } as React.CSSProperties} />
    ),
  },
]

const Details = ({ of, ...steps }: { of: TableSize } & Steps) => (
  <Drawer title={of.name} {...steps}>
    <Facts of={{ Service: of.service, 'Size with indexes': sizeText(of.bytes), Rows: of.rows.toLocaleString() }} />
    {of.organisations.length > 0 ? (
      <Facts
        title="Organisations with the most rows"
        of={Object.fromEntries(of.organisations.map(({ org, rows }) => [org, rows.toLocaleString()]))}
      />
    ) : (
      <p className="muted">No organisation stands out by its rows.</p>
    )}
    <p className="muted">The numbers of rows are estimates from the last statistics of the database.</p>
  </Drawer>
)
