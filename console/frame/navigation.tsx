import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Me, services as servicesQuery } from '../api.ts'
import { Icon } from '../parts/icon.tsx'
import { type Entry, GROUPS, services } from '../services/services.ts'
import { OrganisationMenu } from './organisation.tsx'
import { placeOf } from './place.ts'
import { ThemeSwitch } from './theme.tsx'

/** What this host serves and the person may open. */
export function useEntries(me: Me): Entry[] {
  const { data } = useQuery(servicesQuery)
  const served = new Set(data?.services.filter(one => one.operations > 0).map(one => one.name))
  return services
    .flatMap(one => one.entries)
    .filter(({ service, may }) => (!service || served.has(service)) && (!may || may(me)))
}

type Props = { me: Me; onOpenPalette: () => void }

export function Navigation({ me, onOpenPalette }: Props) {
  const entries = useEntries(me)
  const groups = GROUPS.map(group => [group, entries.filter(one => one.group === group)] as const)
  return (
    <>
      <div className="side-top">
        <OrganisationMenu me={me} />
        <button type="button" className="jump" title="Search or jump to" onClick={onOpenPalette}>
          <Icon name="search" />
          <span>Search or jump to</span>
          <kbd>{IS_MAC ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      </div>
      <nav className="nav" aria-label="Services">
        {groups.map(([group, of]) => of.length > 0 && <Group key={group} title={group} entries={of} org={me.org} />)}
      </nav>
      <div className="side-foot">
        <span className="avatar" aria-hidden="true">
          {initials(me.name || me.email)}
        </span>
        <Link className="cut grow" to="/me" title={me.email}>
          {me.name || me.email}
        </Link>
        <ThemeSwitch />
      </div>
    </>
  )
}

const Group = ({ title, entries, org }: { title: string; entries: Entry[]; org: string }) => (
  <>
    {title && <h2>{title}</h2>}
    <ul>
      {entries.map(({ path, label, icon }) => (
        <li key={path}>
          <Link {...placeOf(org, path)} activeProps={{ 'aria-current': 'page' }} title={label}>
            <Icon name={icon} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  </>
)

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)

function initials(name: string): string {
  const words = name.split(/[\s@.]+/).filter(Boolean)
  return `${words[0]?.[0] ?? ''}${words[1]?.[0] ?? ''}`.toUpperCase()
}
