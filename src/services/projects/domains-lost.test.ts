import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DAY_MS, MAIL_MS, MINUTE_MS, startChecked } from '../../../test/checked-domains.ts'

describe('the owners of a host that was taken away', () => {
  it('are told by mail, once', async t => {
    const host = await startChecked(t)
    await host.member(host.home.org, 'admin')
    const second = await host.member(host.home.org, 'owner')
    for (const name of ['a.example.com', 'b.example.com']) {
      await host.makeLive(name)
      host.remove(name)
    }
    for (let day = 0; day < 3; day++) await host.pass(DAY_MS)
    const lost = { type: 'project.domain.lost', tenant: 'home', project: 'shop' }
    for (const name of ['a.example.com', 'b.example.com']) {
      const data = { slug: 'shop', host: name, reason: 'record_missing' }
      const events = host.emitted.filter(one => one.type === lost.type && (one.data as typeof data).host === name)
      assert.partialDeepStrictEqual(events, [{ ...lost, data }])
      assert.equal(events.length, 1)
    }
    for (let runs = 0; runs < 3; runs++) await host.pass(MAIL_MS)
    assert.deepEqual(host.mails.map(({ to }) => to).sort(), [host.home.email, second.email].sort())
    for (const { subject, text } of host.mails) {
      assert.equal(subject, 'Domains of home are no longer verified')
      assert.match(text, /^- a\.example\.com \(project shop\): there is no correct TXT record at _stoa-verify\.a\./m)
      assert.match(text, /^- b\.example\.com /m)
    }
  })

  it('are told although the mail to others fails, and the change stays', async t => {
    const host = await startChecked(t)
    const second = await host.member(host.home.org, 'owner')
    await host.makeLive('mine.example.com')
    await host.makeLive('theirs.example.com', host.other.key)
    host.remove('mine.example.com')
    host.remove('theirs.example.com')
    const { accept } = host.mailServer
    host.mailServer.accept = mail => {
      if (mail.to === host.home.email || mail.to === host.other.email) throw new Error('refused on purpose')
      accept(mail)
    }
    for (let day = 0; day < 3; day++) await host.pass(DAY_MS)
    await host.pass(MAIL_MS)
    assert.equal(await host.stateOf('mine.example.com'), 'pending 0')
    assert.equal(await host.stateOf('theirs.example.com', host.other.key), 'pending 0')
    assert.deepEqual(
      host.mails.map(({ to }) => to),
      [second.email],
    )
    assert.match(host.logged.join(), /refused on purpose/)
    host.mailServer.accept = accept
    await host.pass(MAIL_MS)
    assert.deepEqual(
      host.mails.map(({ to }) => to).sort(),
      [second.email, host.home.email, host.other.email].sort(),
      'mail that did not arrive is sent again',
    )
    host.warnings.length = 0
  })

  it('are not told for longer than a day if no mail arrives', async t => {
    const host = await startChecked(t)
    await host.makeLive('unread.example.com')
    host.remove('unread.example.com')
    const { accept } = host.mailServer
    host.mailServer.accept = () => {
      throw new Error('down on purpose')
    }
    for (let day = 0; day < 3; day++) await host.pass(DAY_MS)
    await host.pass(MAIL_MS)
    await host.pass(DAY_MS + MINUTE_MS)
    host.mailServer.accept = accept
    await host.pass(MAIL_MS)
    assert.deepEqual(host.mails, [])
    host.warnings.length = 0
  })
})

describe('a verified host that another organisation proves', () => {
  it('changes hands at once if the record of its holder is gone', async t => {
    const host = await startChecked(t)
    const { other } = host
    const name = 'sold.example.com'
    const attached = await host.makeLive(name)
    host.remove(name)
    const theirs = await host.attach(name, other.key)
    assert.equal(theirs.status, 201)
    assert.equal(await host.stateOf(name), 'live 0', 'attaching takes nothing away')
    assert.equal((await host.verify(name, other.key)).body.status, 'pending', 'nor does verifying without a record')
    assert.equal(await host.stateOf(name), 'live 0')
    host.publish(name, theirs)
    host.emitted.length = 0
    const proved = await host.verify(name, other.key)
    assert.equal(proved.body.status, 'live')
    assert.deepEqual(
      host.emitted.map(({ type, tenant, project, data }) => [type, tenant, project, data]),
      [
        ['project.domain.lost', 'home', 'shop', { slug: 'shop', host: name, reason: 'verified_elsewhere' }],
        ['project.domain.verified', 'other', 'shop', { slug: 'shop', host: name }],
      ],
    )
    assert.doesNotMatch(JSON.stringify(host.emitted[0]), /other/)
    assert.equal(await host.stateOf(name), 'pending 0')
    const { headers } = await host.call('GET /v1', { headers: { origin: `https://${name}` } })
    assert.equal(headers['access-control-allow-origin'], `https://${name}`)
    const [entry] = await host.trail('domain.lose')
    const { id: _, ...rest } = entry
    assert.deepEqual(rest, {
      at: host.clock.now().toISOString(),
      credential: 'stoa',
      what: 'domain.lose',
      on: `shop/${name}`,
      changes: { status: { from: 'live', to: 'pending' } },
      ip: '',
      requestId: proved.headers['x-request-id'],
    })
    const [gained] = await host.trail('domain.verify', other.key)
    assert.deepEqual(gained.changes, { status: { from: 'pending', to: 'live' } })
    assert.deepEqual(await host.trail('domain.lose', other.key), [])
    await host.pass(MAIL_MS)
    assert.deepEqual(
      host.mails.map(({ to }) => to),
      [host.home.email],
    )
    assert.match(host.mails[0]?.text ?? '', /sold\.example\.com .*; it is verified elsewhere now$/m)
    assert.doesNotMatch(host.mails[0]?.text ?? '', /other/)
    host.publish(name, attached, theirs)
    assert.equal((await host.verify(name)).status, 409, 'now the other holds it')
  })

  it('of the same organisation, in another project, is lost by the project that had it', async t => {
    const host = await startChecked(t)
    const name = 'moved.example.com'
    await host.makeLive(name)
    await host.call('POST /v1/projects', { body: { slug: 'blog', name: 'Blog' } })
    host.remove(name)
    host.publish(name, await host.call('POST /v1/projects/blog/domains', { body: { host: name } }))
    host.emitted.length = 0
    assert.equal((await host.call(`POST /v1/projects/blog/domains/${name}/verify`)).body.status, 'live')
    assert.deepEqual(
      host.emitted.map(({ type, tenant, project }) => [type, tenant, project]),
      [
        ['project.domain.lost', 'home', 'shop'],
        ['project.domain.verified', 'home', 'blog'],
      ],
    )
  })

  it('stays with its holder while the record is there or the name servers do not answer', async t => {
    const host = await startChecked(t)
    const { other } = host
    const name = 'held.example.com'
    const theirs = await host.attach(name, other.key)
    const mine = await host.makeLive(name)
    host.publish(name, mine, theirs)
    assert.equal((await host.verify(name, other.key)).status, 409)
    await host.call(`DELETE /v1/projects/shop/domains/${name}`, { as: other.key })
    for (const answer of [() => host.publish(name, mine), () => host.silence(name)]) {
      answer()
      assert.equal((await host.attach(name, other.key)).status, 409)
    }
    assert.equal(await host.stateOf(name), 'live 0')
    await host.pass(MAIL_MS)
    assert.deepEqual(host.mails, [])
  })

  it('stays with a holder who proved it after the other looked', async t => {
    const host = await startChecked(t)
    const { other, engines } = host
    const name = 'quick.example.com'
    const [mine, theirs] = [await host.attach(name), await host.attach(name, other.key)]
    const { txt } = engines.dns
    const looked = Promise.withResolvers<void>()
    const proceed = Promise.withResolvers<void>()
    engines.dns.txt = async asked => {
      engines.dns.txt = txt
      const found = await txt(asked)
      looked.resolve()
      await proceed.promise
      return found
    }
    host.publish(name, theirs)
    const late = host.verify(name, other.key)
    await looked.promise
    host.clock.advance(1_000)
    host.publish(name, mine)
    assert.equal((await host.verify(name)).body.status, 'live')
    proceed.resolve()
    assert.equal((await late).status, 409)
    assert.equal(await host.stateOf(name), 'live 0')
  })
})
