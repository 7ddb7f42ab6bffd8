import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { csvText, number, text, wantsCsv } from './csv.ts'

const columns = [text('name', ({ name }: { name: string }) => name), number('size', () => '-1.5')]
const lineOf = (name: string) => csvText(columns, [{ name }]).slice('name,size\r\n'.length)

describe('CSV', () => {
  it('has a header, and ends each line according to RFC 4180', () => {
    assert.equal(csvText(columns, []), 'name,size\r\n')
    assert.equal(csvText(columns, [{ name: 'a' }, { name: '' }]), 'name,size\r\na,-1.5\r\n,-1.5\r\n')
  })

  it('quotes what would end a field', () => {
    assert.equal(lineOf('a,b'), '"a,b",-1.5\r\n')
    assert.equal(lineOf('say "a"'), '"say ""a""",-1.5\r\n')
    assert.equal(lineOf('a\nb'), '"a\nb",-1.5\r\n')
  })

  it('has no text that starts like a formula, and leaves numbers unchanged', () => {
    for (const name of ['=1+1', '+1', '-1', '@SUM(1)', '\t=1']) assert.equal(lineOf(name), `'${name},-1.5\r\n`)
    assert.equal(lineOf('\r=1'), '"\'\r=1",-1.5\r\n')
    assert.equal(lineOf('=A(",")'), '"\'=A("","")",-1.5\r\n')
    assert.equal(lineOf('a=1'), 'a=1,-1.5\r\n')
  })

  it('is requested by the field, otherwise by the header', () => {
    assert.equal(wantsCsv('csv', {}), true)
    assert.equal(wantsCsv('json', { accept: 'text/csv' }), false)
    for (const accept of ['text/csv', 'Text/CSV; q=0.9', 'text/csv, */*;q=0.1']) {
      assert.equal(wantsCsv(undefined, { accept }), true, accept)
    }
    for (const accept of ['*/*', 'application/json, text/csv', 'text/*', 'x-text/csv']) {
      assert.equal(wantsCsv(undefined, { accept }), false, accept)
    }
    assert.equal(wantsCsv(undefined, {}), false)
  })
})
