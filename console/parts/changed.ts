/** What differs from what a form was opened with. To send the rest too would undo what others changed in the meantime. */
export function changedIn<Input extends object>(before: object, input: Input): Partial<Input> {
  const was = new Map(Object.entries(before))
  const entries = Object.entries(input).filter(
    ([name, value]) => JSON.stringify(was.get(name) ?? null) !== JSON.stringify(value ?? null),
  )
  return Object.fromEntries(entries) as Partial<Input>
}
