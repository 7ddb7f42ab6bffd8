// A form for an operation beside a list, with its buttons in the foot.
import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Drawer } from './drawer.tsx'
import { Form, type FormField, FormFoot } from './form.tsx'

type Props<Input> = {
  title: string
  sub?: ReactNode
  /** On the button: `Create project`. */
  action: string
  operation: string
  fields: FormField[]
  initial?: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: whatever it answers
  change: UseMutationResult<any, Error, Input>
  onClose: () => void
  /** Below the fields. */
  children?: ReactNode
}

export function FormDrawer<Input>({ title, sub, action, operation, change, onClose, children, ...form }: Props<Input>) {
  const foot = <FormFoot form={operation} action={action} isBusy={change.isPending} onCancel={onClose} />
  return (
    <Drawer title={title} sub={sub} onClose={onClose} foot={foot}>
      <Form
        id={operation}
        operation={operation}
        error={change.error}
        onSubmit={change.mutate as (input: never) => void}
        {...form}
      />
      {children}
    </Drawer>
  )
}
