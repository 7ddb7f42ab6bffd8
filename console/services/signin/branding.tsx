// How the pages and mails for customers look, with a preview of the sign-in page.
import './signin.css'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { IamSettings } from '../../../client/stoa.js'
import { me, stoa } from '../../api.ts'
import { useChange } from '../../frame/change.ts'
import { useCode } from '../../frame/code.tsx'
import { errorText, Failed, RequestId } from '../../frame/problems.tsx'
import { Sheet } from '../../frame/sheet.tsx'
import { Field, fieldError } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { type Mode, shownColor } from './look.ts'
import { colorControl, logoControl } from './look-fields.tsx'
import { SignInTabs } from './tabs.tsx'

export function BrandingScreen() {
  const { data, error, refetch } = useQuery({
    queryKey: ['iam-settings'],
    queryFn: ({ signal }) => stoa.getIamSettings({}, { signal }),
  })
  useCode('getIamSettings', 'GET', '/v1/iam/settings', {})
  return (
    <Sheet title="Branding">
      <header className="head">
        <div className="grow">
          <h1>Branding</h1>
          <p>The pages and mails for your customers. An app can have a logo and a colour of its own.</p>
        </div>
      </header>
      <SignInTabs />
      {error ? (
        <Failed error={error} reset={() => void refetch()} />
      ) : (
        data && <Branding key={JSON.stringify(data)} of={data} />
      )}
    </Sheet>
  )
}

function Branding({ of }: { of: IamSettings }) {
  const [logo, setLogo] = useState<unknown>(of.logo ?? '')
  const [color, setColor] = useState<unknown>(of.color ?? '')
  const save = useChange({
    run: () => stoa.updateIamSettings({ logo: (logo as string) || null, color: (color as string) || null }),
    changes: [['iam-settings']],
    done: () => 'Branding saved',
    showsErrors: true,
  })
  const isSame = logo === (of.logo ?? '') && color === (of.color ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  const shown = typeof color === 'string' && /^#[0-9a-f]{6}$/.test(color) ? color : null
  return (
    <div className="section branding">
      <form className="form" data-guard onSubmit={submit}>
        <Field
          label="Logo"
          optional
          help="PNG, JPEG, WebP or SVG, at most 32 KiB, visible on light and dark"
          error={fieldError(save.error, 'logo')}
        >
          {its => logoControl({ ...its, value: logo, set: setLogo, schema: {} })}
        </Field>
        <Field
          label="Colour"
          optional
          help="Of buttons and links. It is made darker or lighter where it could not be read."
          error={fieldError(save.error, 'color')}
        >
          {its => colorControl({ ...its, value: color, set: setColor, schema: {} })}
        </Field>
        {save.error && (
          <div className="callout" data-tone="danger" role="alert">
            <Icon name="alert" />
            <div>
              {errorText(save.error)}
              <RequestId error={save.error} />
            </div>
          </div>
        )}
        <div>
          <button
            type="submit"
            className="btn"
            data-kind="primary"
            aria-busy={save.isPending}
            disabled={save.isPending || isSame}
          >
            Save branding
          </button>
        </div>
      </form>
      <section className="previews" aria-label="Preview">
        <Preview mode="light" logo={logo as string} color={shown} />
        <Preview mode="dark" logo={logo as string} color={shown} />
      </section>
    </div>
  )
}

/** Shows the sign-in page; nothing in it works. */
function Preview({ mode, logo, color }: { mode: Mode; logo: string; color: string | null }) {
  const { data } = useQuery(me)
  const { act, onAct } = shownColor(color, mode)
  const style = { '--act': act, '--on-act': onAct } as React.CSSProperties
  const name = data?.orgs.find(one => one.org === data.org)?.name ?? ''
  return (
    <figure className="preview">
      <div className="preview-page" data-theme={mode} style={style} aria-hidden="true">
        {logo ? <img className="logo" src={logo} alt="" /> : <b className="preview-name">{name}</b>}
        <b className="preview-title">Sign in</b>
        <span>E-mail address</span>
        <span className="preview-input" />
        <span>Password</span>
        <span className="preview-input" />
        <span className="preview-button">Sign in</span>
        <span className="preview-link">Create an account</span>
      </div>
      <figcaption className="help">{mode === 'light' ? 'Light' : 'Dark'}</figcaption>
    </figure>
  )
}
