// The actions of a thing that are not needed often.
import { useId, useRef } from 'react'
import { Icon } from './icon.tsx'

export type Action = { label: string; icon: string; tone?: 'danger'; run: () => void }

export function Menu({ label, actions }: { label: string; actions: Action[] }) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const place = () => {
    const { bottom = 0, right = 0 } = button.current?.getBoundingClientRect() ?? {}
    list.current?.style.setProperty('--y', `${bottom}px`)
    list.current?.style.setProperty('--x', `${document.documentElement.clientWidth - right}px`)
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn icon-only"
        aria-label={label}
        title={label}
        popoverTarget={id}
        onClick={place}
      >
        <Icon name="more" />
      </button>
      <div className="menu more" id={id} ref={list} popover="auto">
        {actions.map(({ label: name, icon, tone, run }) => (
          <button
            key={name}
            type="button"
            data-tone={tone}
            onClick={() => {
              list.current?.hidePopover()
              run()
            }}
          >
            <Icon name={icon} />
            {name}
          </button>
        ))}
      </div>
    </>
  )
}
