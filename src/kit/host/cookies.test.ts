import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cookieIn, cookieNames } from './cookies.ts'

describe('the value of a cookie', () => {
  for (const [header, value] of [
    ['', null],
    ['b=1', null],
    ['a', null],
    ['aa=1; ba=2', null],
    ['A=1', null],
    ['a=1', '1'],
    ['a=', ''],
    ['b=1; a=2', '2'],
    ['b=1;a=2;c=3', '2'],
    [' \ta=1\t ;b=2', '1'],
    ['a= 1 2 ', ' 1 2'],
    ['a=b=c', 'b=c'],
    ['a="1"', '"1"'],
    ['\u00a0a=1', null],
    ['a =1', null],
    ['a=1; a=1', ''],
    [`b=1;${' '.repeat(100)}a=2`, '2'],
  ] as const) {
    it(JSON.stringify(header.slice(0, 20)), () => assert.equal(cookieIn(header, 'a'), value))
  }
})

it('the names of cookies are those before the first equals sign', () => {
  assert.deepEqual(cookieNames('a=1; b; ;\tc=2=3 ; a=4;=5'), ['a', 'c', 'a', ''])
})
