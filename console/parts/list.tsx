// A listing of the host: its head, filters, table, pages, and what is shown when it is empty, filtered to nothing or failed. What is
// open stands beside it.
import { type InfiniteData, type UseInfiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { isTyping } from '../frame/keys.ts'
import { placeOf } from '../frame/place.ts'
import { errorText, RequestId } from '../frame/problems.tsx'
import { useParam } from '../frame/search.ts'
import { type Crumb, Sheet } from '../frame/sheet.tsx'
import { Icon } from './icon.tsx'

export type Column<Item> = {
  head: string
  /** `p1` to `p4`: its place on a phone. `low`: left out where there is no room. `r`: a figure. */
  className: string
  cell: (item: Item) => ReactNode
}
type Page<Item> = { data: Item[]; next: string }
type Query<Item> = UseInfiniteQueryOptions<Page<Item>, Error, InfiniteData<Page<Item>>, readonly unknown[], string>

export type Steps = { onClose: () => void; onNext: (() => void) | null; onPrevious: (() => void) | null }

type Props<Item> = {
  title: string
  /** The heading, if it is not the title. */
  heading?: string
  within?: readonly Crumb[]
  /** What this is for, in one line. */
  about: ReactNode
  query: Query<Item>
  idOf: (item: Item) => string
  columns: Column<Item>[]
  isOff?: (item: Item) => boolean
  /** Between the head and the filters: tabs, figures. */
  top?: ReactNode
  /** Buttons before the primary one. */
  actions?: ReactNode
  filters?: ReactNode
  /** Whether the filters leave something out. */
  isFiltered?: boolean
  onClear?: () => void
  /** What a row is called: `key`, `keys`. */
  noun: [one: string, many: string]
  /** What those of the loaded pages are among all: `Newest` by default. */
  first?: string
  /** The button of the primary action, which opens `new`. */
  create?: string | undefined
  /** The details of an item, or the form for a new one, beside the list. */
  details?: (item: Item, steps: Steps) => ReactNode
  creation?: (onClose: () => void) => ReactNode
  /** Instead of details: the screen of an item. */
  screenOf?: (item: Item) => string
  /** Where the details stand. */
  opens?: 'drawer' | 'pane'
  /** The details of an item that no loaded page has. */
  unlisted?: (id: string, steps: Steps) => ReactNode
  /** Over everything, such as a form for the thing that the list is about. */
  drawer?: ReactNode
  isDense?: boolean
  empty: { icon: string; title: string; says: string; more?: ReactNode }
}

/** Reads the pages of a listing: `read` gets the `next` of the page before. */
export const pages = <Item,>(
  queryKey: readonly unknown[],
  read: (after: { after?: string }, options: { signal: AbortSignal }) => Promise<Page<Item>>,
): Query<Item> => ({
  queryKey,
  queryFn: ({ pageParam, signal }) => read(pageParam ? { after: pageParam } : {}, { signal }),
  initialPageParam: '',
  getNextPageParam: page => page.next || null,
})

export function List<Item>(props: Props<Item>) {
  const { title, heading = title, within, about, create, top, actions, filters, details, creation, idOf } = props
  const [open, setOpen] = useParam('open')
  const result = useInfiniteQuery(props.query)
  const items = result.data?.pages.flatMap(page => page.data) ?? []
  const at = items.findIndex(item => idOf(item) === open)
  const item = items[at]
  const onClose = () => setOpen('')
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => create && event.key === 'n' && !isTyping(event.target) && setOpen('new')
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  const stepTo = (n: number) => {
    const to = items[n]
    return to === undefined ? null : () => setOpen(idOf(to), true)
  }
  const steps = { onClose, onNext: stepTo(at + 1), onPrevious: stepTo(at - 1) }
  const found =
    item === undefined ? open !== '' && !result.isPending && props.unlisted?.(open, steps) : details?.(item, steps)
  const opened = (open === 'new' ? creation?.(onClose) : found) || null
  const beside = props.opens === 'pane' ? { pane: opened, drawer: props.drawer } : { drawer: props.drawer ?? opened }
  return (
    <Sheet title={title} within={within} {...beside}>
      <header className="head">
        <div className="grow">
          <h1>{heading}</h1>
          {typeof about === 'string' ? <p>{about}</p> : about}
        </div>
        {(create || actions) && (
          <div className="actions">
            {actions}
            {create && (
              <button type="button" className="btn" data-kind="primary" onClick={() => setOpen('new')}>
                <Icon name="plus" />
                {create}
              </button>
            )}
          </div>
        )}
      </header>
      {top}
      {filters && <div className="filters">{filters}</div>}
      <Content {...props} {...{ result, items, open }} onOpen={setOpen} />
    </Sheet>
  )
}

type Result<Item> = ReturnType<typeof useInfiniteQuery<Page<Item>, Error, InfiniteData<Page<Item>>>>
type ContentProps<Item> = Props<Item> & {
  result: Result<Item>
  items: Item[]
  open: string
  onOpen: (id: string) => void
}

function Content<Item>(props: ContentProps<Item>) {
  const { result, items, noun, first = 'Newest', isFiltered, onClear, empty, create, onOpen } = props
  const { error, isPending, isFetching, hasNextPage } = result
  if (error && items.length === 0) {
    return (
      <div className="empty" role="alert">
        <h2>{`The ${noun[1]} could not be loaded`}</h2>
        <p>{errorText(error)}</p>
        <RequestId error={error} />
        <button type="button" className="btn" onClick={() => void result.refetch()}>
          Try again
        </button>
      </div>
    )
  }
  if (items.length === 0 && !isPending) {
    return (
      <div className="empty">
        <span className="glyph">
          <Icon name={empty.icon} />
        </span>
        <h2>{isFiltered ? `No ${noun[0]} matches` : empty.title}</h2>
        <p>{isFiltered ? 'The filters leave out everything.' : empty.says}</p>
        {isFiltered && onClear && (
          <button type="button" className="btn" onClick={onClear}>
            Clear filters
          </button>
        )}
        {!isFiltered && create && (
          <button type="button" className="btn" onClick={() => onOpen('new')}>
            {create}
          </button>
        )}
        {!isFiltered && empty.more}
      </div>
    )
  }
  const count = `${hasNextPage ? `${first} ` : ''}${items.length.toLocaleString()} ${noun[items.length === 1 ? 0 : 1]}`
  return (
    <div aria-busy={isFetching} data-dim={(isFetching && result.isPlaceholderData) || undefined}>
      <Table {...props} isPending={isPending} />
      <div className="paging">
        <span>{isPending ? 'Loading' : count}</span>
        {hasNextPage && (
          <span className="right">
            <button type="button" className="btn s" aria-busy={isFetching} onClick={() => void result.fetchNextPage()}>
              Show more
            </button>
          </span>
        )}
      </div>
    </div>
  )
}

const SKELETONS = [1, 2, 3, 4]

function Table<Item>({
  items,
  columns,
  idOf,
  isOff,
  open,
  onOpen,
  isPending,
  details,
  screenOf,
  isDense,
}: ContentProps<Item> & { isPending: boolean }) {
  const { org = '' } = useParams({ strict: false }) as { org?: string }
  const navigate = useNavigate()
  return (
    <table className={isDense ? 'table two dense' : 'table two'} data-opens={details || screenOf ? '' : undefined}>
      <thead>
        <tr>
          {columns.map(({ head, className }) => (
            <th key={head} className={className.replace(/p\d/, '').trim() || undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {isPending &&
          SKELETONS.map(n => (
            <tr key={n}>
              {columns.map(({ head, className }) => (
                <td key={head} className={className}>
                  <span className="skeleton" />
                </td>
              ))}
            </tr>
          ))}
        {items.map(item => {
          const id = idOf(item)
          const to = screenOf && placeOf(org, screenOf(item))
          const choose = () => (to ? void navigate(to) : details && onOpen(id))
          return (
            <tr
              key={id}
              aria-selected={id === open || undefined}
              data-off={isOff?.(item) || undefined}
              onClick={choose}
            >
              {columns.map(({ head, className, cell }, n) => (
                <td key={head} className={className}>
                  {n === 0 && to ? (
                    <Link {...to} className="main" onClick={event => event.stopPropagation()}>
                      {cell(item)}
                    </Link>
                  ) : n === 0 && details ? (
                    <button type="button" className="main" onClick={choose}>
                      {cell(item)}
                    </button>
                  ) : (
                    cell(item)
                  )}
                </td>
              ))}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
