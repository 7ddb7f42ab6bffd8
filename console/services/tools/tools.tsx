import './tools.css'
import { useQuery } from '@tanstack/react-query'
import { me, queryClient } from '../../api.ts'
import { useParam } from '../../frame/search.ts'
import { Id } from '../../parts/copy.tsx'
import { Filter } from '../../parts/filter.tsx'
import { FindParam } from '../../parts/find-param.tsx'
import { type Column, List, pages } from '../../parts/list.tsx'
import { Segments } from '../../parts/segments.tsx'
import { Connect } from './connect.tsx'
import { DOOR, type Tool, toolsQuery } from './door.ts'
import { ToolDetails } from './tool.tsx'
import { isRead, KINDS, plain, verbOf } from './words.ts'

export function Tools() {
  const { data: person } = useQuery(me)
  const { data } = useQuery(toolsQuery)
  const [find, setFind] = useParam('find')
  const [service, setService] = useParam('service')
  const [kind, setKind] = useParam('kind')
  const words = find.toLowerCase().split(/\s+/)
  const isWanted = (tool: Tool) =>
    (!service || tool.service === service) &&
    (!kind || isRead(tool) === (kind === 'read')) &&
    words.every(word => `${tool.name} ${tool.description}`.toLowerCase().includes(word))
  const services = [...new Set(data?.tools.map(one => one.service))]
  return (
    <List
      title="Tools"
      about={
        <p>
          Agents call the operations of this host as tools (MCP) at <Id text={location.origin + DOOR} show />
          {data && data.hidden > 0 && (
            <span className="hidden-tools">
              {`${data.hidden} others are not listed: ${OTHERS[person?.role ?? 'member']} may call them.`}
            </span>
          )}
        </p>
      }
      noun={['tool', 'tools']}
      query={{
        ...pages(['tools', 'list', service, kind, find], async () => {
          const { tools } = await queryClient.ensureQueryData(toolsQuery)
          return { data: tools.filter(isWanted), next: '' }
        }),
        placeholderData: before => before,
      }}
      idOf={({ name }) => name}
      columns={COLUMNS}
      isDense
      filters={
        <>
          <FindParam label="Find by name or words" />
          <Filter
            label="Service"
            options={[['', 'All'], ...services.map(one => [one, one] as const)]}
            chosen={service}
            onChoose={setService}
          />
          <Segments label="Kind" options={KINDS} chosen={kind as ''} onChoose={one => setKind(one)} />
        </>
      }
      isFiltered={find !== '' || service !== '' || kind !== ''}
      onClear={() => {
        setFind('')
        setService('')
        setKind('')
      }}
      create="Connect agent"
      creation={onClose => <Connect onClose={onClose} />}
      details={(tool, steps) => <ToolDetails key={tool.name} of={tool} {...steps} />}
      empty={{ icon: 'tool', title: 'No tool', says: 'This credential may call no operation.' }}
    />
  )
}

/** Who may call what somebody with a role may not. */
const OTHERS: Record<string, string> = {
  member: 'an owner or admin',
  admin: 'an owner or a superadmin',
  owner: 'a superadmin',
}

const COLUMNS: Column<Tool>[] = [
  { head: 'Tool', className: 'p1', cell: ({ name }) => <span className="mono">{name}</span> },
  { head: 'What it does', className: 'p3 fill low', cell: ({ description }) => plain(description) },
  { head: 'Service', className: 'p4', cell: ({ service }) => service },
  { head: 'Kind', className: 'p2', cell: verbOf },
]
