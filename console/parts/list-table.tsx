// The table of a list: native rows, of which a long list has only those near the viewport in the document.
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { placeOf } from '../frame/place.ts'
import { useRowWindow } from './list-window.ts'

export type Column<Item> = {
  head: string
  /** `p1` to `p4`: its place on a phone. `low`: left out where there is no room. `r`: a figure. */
  className: string
  cell: (item: Item) => ReactNode
}

type Props<Item> = {
  items: readonly Item[]
  ids: readonly string[]
  columns: Column<Item>[]
  isOff?: ((item: Item) => boolean) | undefined
  screenOf?: ((item: Item) => string) | undefined
  /** Opens an item beside the list; without it, and without screens, rows only show. */
  onOpen?: ((id: string) => void) | undefined
  open: string
  /** The row that the keyboard is at. */
  cursor: string
  onCursor: (id: string) => void
  isDense?: boolean | undefined
  isPending: boolean
  hasMore: boolean
  onEndNear: () => void
  /** Other filters may need other widths. */
  widthsFor: string
}

export function Table<Item>(props: Props<Item>) {
  const { items, ids, columns, isOff, screenOf, onOpen, open, cursor, onCursor, isDense, isPending, hasMore } = props
  const { org = '' } = useParams({ strict: false }) as { org?: string }
  const table = useRef<HTMLTableElement>(null)
  const kept = [open, cursor].flatMap(id => (id ? ids.indexOf(id) : []))
  const rows = useRowWindow({ table, ids, kept, onEndNear: props.onEndNear })
  const isLong = !isPending && (hasMore || !rows.isWhole)
  const widths = useWidths({ table, isLong, widthsFor: props.widthsFor, onResize: rows.forget })
  return (
    <table
      ref={table}
      className={isDense ? 'table two dense' : 'table two'}
      data-opens={onOpen || screenOf ? '' : undefined}
      data-fixed={widths ? '' : undefined}
      aria-rowcount={hasMore ? -1 : items.length + 1}
      onFocus={event => onCursor(event.target.closest<HTMLElement>('tr[data-row]')?.dataset.row ?? cursor)}
    >
      <thead>
        <tr aria-rowindex={1}>
          {columns.map(({ head, className }, n) => (
            <th
              key={head}
              className={className.replace(/p\d/, '').trim() || undefined}
              style={widths?.[n] ? { width: `${widths[n]}%` } : undefined}
            >
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {isPending && <Skeletons columns={columns} />}
        {rows.places.flatMap(({ at, gap }) => {
          const item = items[at] as Item
          const id = ids[at] as string
          return [
            gap > 0 && <Gap key={`before ${id}`} px={gap} of={columns} />,
            <Row
              key={id}
              {...{ item, id, at, columns, onOpen }}
              isOpen={id === open}
              isOff={isOff?.(item) ?? false}
              org={org}
              screen={screenOf?.(item)}
            />,
          ]
        })}
        {rows.gapAfter > 0 && !rows.isWhole && <Gap px={rows.gapAfter} of={columns} />}
      </tbody>
    </table>
  )
}

const SKELETONS = [1, 2, 3, 4]

const Skeletons = ({ columns }: { columns: { head: string; className: string }[] }) =>
  SKELETONS.map(n => (
    <tr key={n}>
      {columns.map(({ head, className }) => (
        <td key={head} className={className}>
          <span className="skeleton" />
        </td>
      ))}
    </tr>
  ))

const Gap = ({ px, of }: { px: number; of: unknown[] }) => (
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row has no focus
  <tr className="gap" aria-hidden="true">
    <td colSpan={of.length} style={{ height: px }} />
  </tr>
)

type RowProps<Item> = {
  item: Item
  id: string
  at: number
  columns: Column<Item>[]
  isOpen: boolean
  isOff: boolean
  org: string
  screen: string | undefined
  onOpen: ((id: string) => void) | undefined
}

/** Scrolling renders the rows that come into view, and no other. */
const Row = memo(function Row<Item>({ item, id, at, columns, isOpen, isOff, org, screen, onOpen }: RowProps<Item>) {
  const navigate = useNavigate()
  const to = screen === undefined ? undefined : placeOf(org, screen)
  const choose = () => (to ? void navigate(to) : onOpen?.(id))
  return (
    <tr
      data-row={id}
      aria-rowindex={at + 2}
      aria-selected={isOpen || undefined}
      data-off={isOff || undefined}
      onClick={choose}
    >
      {columns.map(({ head, className, cell }, n) => (
        <td key={head} className={className}>
          {n === 0 && to ? (
            <Link {...to} className="main" onClick={event => event.stopPropagation()}>
              {cell(item)}
            </Link>
          ) : n === 0 && onOpen ? (
            <button
              type="button"
              className="main"
              onClick={event => {
                event.stopPropagation() // The row would open it again.
                choose()
              }}
            >
              {cell(item)}
            </button>
          ) : (
            cell(item)
          )}
        </td>
      ))}
    </tr>
  )
}) as <Item>(props: RowProps<Item>) => ReactNode

type WidthsOptions = {
  table: RefObject<HTMLTableElement | null>
  isLong: boolean
  widthsFor: string
  onResize: () => void
}

/** A part of the widest column goes to the others, because rows further down may have longer texts. */
const SPARE = 0.12

/** The columns of a list of which not all rows are known keep their widths in per cent: its columns would move with every row that has a
 *  longer text. They are measured again when the table has another width. */
function useWidths({ table, isLong, widthsFor, onResize }: WidthsOptions): number[] | null {
  const [fixed, setFixed] = useState<{ for: string; widths: number[] } | null>(null)
  const widths = fixed?.for === widthsFor ? fixed.widths : null
  useLayoutEffect(() => {
    if (!isLong || widths || !table.current?.tHead) return
    const heads = [...table.current.tHead.querySelectorAll('th')]
    const own = heads.map(head => head.offsetWidth)
    const total = own.reduce((sum, width) => sum + width, 0)
    if (total === 0) return // On a phone rows are no columns.
    const isFill = (n: number) => heads[n]?.classList.contains('fill') ?? false
    const spare = own.map((width, n) => (isFill(n) ? 0 : width * SPARE))
    const fill = own.findIndex((_, n) => isFill(n))
    const taken = Math.min(
      spare.reduce((sum, width) => sum + width, 0),
      (own[fill] ?? 0) / 2,
    )
    const share = taken / (spare.reduce((sum, width) => sum + width, 0) || 1)
    const wanted = own.map((width, n) => (n === fill ? width - taken : width + share * (spare[n] ?? 0)))
    setFixed({ for: widthsFor, widths: wanted.map(width => (100 * width) / total) })
  })
  const resized = useRef(onResize)
  resized.current = onResize
  useEffect(() => {
    if (!table.current) return
    let width = table.current.offsetWidth
    const observer = new ResizeObserver(([entry]) => {
      const now = entry?.contentRect.width ?? 0
      if (now === 0 || Math.abs(now - width) < 1) return
      width = now
      resized.current()
      setFixed(null)
    })
    observer.observe(table.current)
    return () => observer.disconnect()
  }, [table])
  return widths
}
