import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { disposable, disposableMit } from './lists.ts'
import type { Parsed } from './source.ts'

const LIST = `# disposable domains
mailinator.com

Trash-Mail.COM
sub.mailinator.com
10mail.org
instágram.com
xn--instgram-cza.com
mailinator.com
0-mail.com`

const MEMBERS = [
  '0-mail.com',
  '10mail.org',
  'mailinator.com',
  'sub.mailinator.com',
  'trash-mail.com',
  'xn--instgram-cza.com',
].map(key => ({ key, value: { class: 'disposable' } }))

for (const { source, parse } of [disposable, disposableMit]) {
  const read = parse as (text: string) => Parsed
  const rows = (count: number) => Array.from({ length: count }, (_, i) => `trash${i}.com`).join('\n')

  describe(`a list of disposable domains from ${source}`, () => {
    it('yields each domain once, in canonical spelling', () => {
      assert.deepEqual(read(LIST), { members: MEMBERS, dropped: 0 })
    })

    it('yields the same in any order, with CRLF and a byte order mark', () => {
      const other = `\ufeff${LIST.split('\n').toReversed().join('\r\n')}\r\n`
      assert.deepEqual(read(other), { members: MEMBERS, dropped: 0 })
    })

    it('drops and counts public suffixes', () => {
      const suffixes = ['com.ar', 'my.id', 'ddns.net', 'f5.si', 'co.uk', 'foo.ck', 'github.io']
      assert.deepEqual(read(`${LIST}\n${suffixes.join('\n')}\n`), { members: MEMBERS, dropped: suffixes.length })
      assert.throws(() => read('com.ar\nco.uk\n'), /no usable member/)
    })

    for (const provider of ['gmail.com', 'GMail.com', 'outlook.com', 'qq.com', 'proton.me', 'gmx.de', 'yahoo.co.uk']) {
      it(`is rejected as a whole if it contains ${provider}`, () => {
        assert.throws(() => read(`${rows(2_000)}\n${provider}\n`), new RegExp(`providers: ${provider.toLowerCase()}$`))
      })
    }

    it('is rejected with a few of the providers in the message', () => {
      const all = 'web.de\naol.com\ngmail.com\nme.com\nmsn.com\nqq.com\nmail.ru'
      assert.throws(() => read(all), /providers: aol\.com, gmail\.com, mail\.ru, me\.com, msn\.com and 2 more$/)
    })

    it('may contain domains similar to a provider', () => {
      const rows = 'gmail.com.trash.com\nnotgmail.com\ntrash.gmail.com'
      assert.equal(read(rows).members.length, 3)
    })

    it('may not contain e-mail addresses or wildcards', () => {
      for (const row of ['ada@trash.com', '*.trash.com', '.trash.com', 'trash', '1.2.3.4', 'tra sh.com']) {
        assert.equal(read(`${row}\n${rows(199)}`).members.length, 199, row)
        assert.throws(() => read(`${row}\n${rows(198)}`), /^Error: 1 of 199 rows/, row)
      }
    })
  })
}
