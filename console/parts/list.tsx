// A listing of the host: its head, filters, table, pages, and what is shown when it is empty, filtered to nothing or failed. What is
// open stands beside it.
import { type InfiniteData, type UseInfiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useCallback, useEffect, useMemo } from 'react'
import { isTyping } from '../frame/keys.ts'
import { type Crumb, Sheet } from '../frame/sheet.tsx'
import { Icon } from './icon.tsx'
import { isCovered, type Steps, useOpen } from './list-open.ts'
import { type Column, Table } from './list-table.tsx'
import { Problem } from './problem.tsx'
import { Unloaded } from './unloaded.tsx'

export type { Column, Steps }

type Page<Item> = { data: Item[]; next: string }
type Query<Item> = UseInfiniteQueryOptions<Page<Item>, Error, InfiniteData<Page<Item>>, readonly unknown[], string>

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

/** The first page opens quickly. The others are as long as the host allows, so that the end of a long list needs few requests. */
const LATER_PAGE = 200
/** A longer list is not read again as a whole because its window gets the focus. */
const REFRESHED_PAGES_MAX = 5

/** Where a page begins, and how long it may be. */
export type From = { after?: string; limit?: number }

/** Reads the pages of a listing: `read` gets the `next` of the page before. */
export const pages = <Item,>(
  queryKey: readonly unknown[],
  read: (from: From, options: { signal: AbortSignal }) => Promise<Page<Item>>,
): Query<Item> => ({
  queryKey,
  queryFn: ({ pageParam, signal }) => read(pageParam ? { after: pageParam, limit: LATER_PAGE } : {}, { signal }),
  initialPageParam: '',
  getNextPageParam: page => page.next || null,
  refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= REFRESHED_PAGES_MAX,
})

export function List<Item>(props: Props<Item>) {
  const { title, heading = title, within, about, create, top, actions, filters, details, creation, idOf } = props
  const result = useInfiniteQuery(props.query)
  const { data, hasNextPage, isFetching, isPending, isPlaceholderData, error, fetchNextPage } = result
  const items = useMemo(() => itemsOf(data), [data])
  // biome-ignore lint/correctness/useExhaustiveDependencies: an item keeps its id
  const ids = useMemo(() => items.map(idOf), [items])
  const opening = useOpen({
    ids,
    isSettled: !isPending && !isFetching && !isPlaceholderData && !error,
    hasMore: hasNextPage,
    more: async () => itemsOf((await fetchNextPage({ cancelRefetch: false })).data).map(idOf),
    isListed: details !== undefined && !props.unlisted && !props.drawer,
  })
  const { open, setOpen, steps } = opening
  const item = items[opening.at]
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'n' || event.metaKey || event.ctrlKey || event.altKey) return
      if (create && !isTyping(event.target) && !isCovered()) setOpen('new')
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  const found = item === undefined ? open !== '' && !isPending && props.unlisted?.(open, steps) : details?.(item, steps)
  const shown = open === 'new' ? creation?.(steps.onClose) : found
  // With its key, so that the next item has no state of the former one, such as the secret of another key.
  const opened = shown ? <Fragment key={open}>{shown}</Fragment> : null
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
      {opening.isMissing && <Missing noun={props.noun} onClose={steps.onClose} />}
      <Content {...props} {...{ result, items, ids, opening }} />
    </Sheet>
  )
}

const itemsOf = <Item,>(data: InfiniteData<Page<Item>> | undefined): Item[] =>
  data?.pages.flatMap(page => page.data) ?? []

const Missing = ({ noun: [one], onClose }: { noun: [string, string]; onClose: () => void }) => (
  <div className="section">
    <div className="callout" role="status">
      <Icon name="info" />
      <span>{`The ${one} of this address is not in the list. It was deleted, or the filters leave it out.`}</span>
      <button type="button" className="btn s" onClick={onClose}>
        Close
      </button>
    </div>
  </div>
)

type Result<Item> = ReturnType<typeof useInfiniteQuery<Page<Item>, Error, InfiniteData<Page<Item>>>>
type ContentProps<Item> = Props<Item> & {
  result: Result<Item>
  items: Item[]
  ids: string[]
  opening: ReturnType<typeof useOpen>
}

function Content<Item>(props: ContentProps<Item>) {
  const { result, items, ids, noun, first = 'Newest', opening } = props
  const { error, isPending, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage } = result
  const onEndNear = useCallback(() => {
    if (hasNextPage && !isFetching && !error) void fetchNextPage()
  }, [hasNextPage, isFetching, error, fetchNextPage])
  if (items.length === 0 && error) {
    const retry = () => void result.refetch()
    return <Unloaded what={`The ${noun[1]}`} error={error} isBusy={result.isFetching} onRetry={retry} />
  }
  if (items.length === 0 && !isPending) return <Empty {...props} onCreate={() => opening.setOpen('new')} />
  const count = `${hasNextPage ? `${first} ` : ''}${items.length.toLocaleString()} ${noun[items.length === 1 ? 0 : 1]}`
  const again = () => void (result.isFetchNextPageError ? fetchNextPage() : result.refetch())
  return (
    <div aria-busy={isFetching} data-dim={(isFetching && result.isPlaceholderData) || undefined}>
      <Table
        {...props}
        {...{ items, ids, isPending, onEndNear }}
        open={opening.open}
        cursor={opening.cursor}
        onCursor={opening.setCursor}
        onOpen={props.details && opening.setOpen}
        hasMore={hasNextPage}
        widthsFor={JSON.stringify([props.query.queryKey, result.isPlaceholderData])}
      />
      {error && (
        <div className="section ltrouble">
          <Problem error={error} />
        </div>
      )}
      {!isPending && (
        <div className="paging">
          <span>{count}</span>
          {(hasNextPage || error) && (
            <span className="right">
              <button
                type="button"
                className="btn s"
                aria-busy={isFetchingNextPage}
                onClick={error ? again : () => void fetchNextPage()}
              >
                {error ? 'Try again' : 'Show more'}
              </button>
            </span>
          )}
        </div>
      )}
    </div>
  )
}

function Empty<Item>({
  noun,
  isFiltered,
  onClear,
  empty,
  create,
  onCreate,
}: ContentProps<Item> & { onCreate: () => void }) {
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
        <button type="button" className="btn" onClick={onCreate}>
          {create}
        </button>
      )}
      {!isFiltered && empty.more}
    </div>
  )
}
