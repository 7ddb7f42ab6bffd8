// People who joined an organisation of the console by the mailed link, with a password of their own.
import { readdirSync, readFileSync } from 'node:fs'
import type { World } from './console.ts'

type Invited = { email: string; password: string; role?: 'member' | 'admin' }

export async function joinAs(
  { owner, signIn, data, home }: World,
  { email, password, role = 'member' }: Invited,
): Promise<void> {
  await owner('POST /v1/iam/invites', { email, role })
  const directory = `${data}/mail`
  const mails = readdirSync(directory).map(name => readFileSync(`${directory}/${name}`, 'utf8'))
  const [link = ''] = mails.find(text => text.includes(email))?.match(/^https:.*(?=\r$)/m) ?? []
  const { page, context } = await signIn(home)
  await context.clearCookies()
  await page.goto(link)
  await page.getByLabel('password').fill(password)
  await page.getByRole('button', { name: 'Join' }).click()
  await page.waitForLoadState()
  await context.close()
}
