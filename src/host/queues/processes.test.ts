// Several processes with the same queues, and leases that are lost.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { queueProcessesConform } from '../../../test/conformance/queue-processes.ts'
import { eventually } from '../../../test/eventually.ts'
import { jobs, newQueue, OK, startQueues } from '../../../test/queue-world.ts'
import * as store from '../../kit/queues/store.ts'

queueProcessesConform('in PostgreSQL', (queues, beside) => startQueues(queues, beside && { beside: beside.host }))

const plain = newQueue('leases.plain')
const { host, add, endsOf, waitingIn } = await startQueues([plain.queue])

describe('a process whose lease was declared expired', () => {
  it('claims its keys again, and leaves none behind', async () => {
    const before = (await endsOf(plain.queue)).length
    plain.act = async () => {
      await pause(20)
      return OK
    }
    for (let n = 0; n < 10; n++) await add(plain.queue, jobs(40, 0, { key: `lost-${n}` }))
    // Another process judged it dead, and freed some of its keys; others were claimed since.
    await host.db.transaction(async tx => {
      await tx`delete from queue_holders`
      await tx`update queue_keys set holder = null, due = now() where key < 'lost-5'`
    })
    await eventually(
      () => endsOf(plain.queue),
      rows => rows.length - before >= 400,
    )
    assert.equal(await waitingIn(plain.queue), 0)
    plain.act = async () => OK
  })

  it('and that died has its keys freed, although it has no lease', async () => {
    await host.db`insert into queue_keys (queue, key, org, holder) values ('leases.plain', 'orphan', 'home', 'nobody')`
    await add(plain.queue, jobs(1, 500, { key: 'orphan' }))
    await eventually(
      () => endsOf(plain.queue),
      rows => rows.some(({ key }) => key === 'orphan'),
    )
  })

  it('keeps them if it has renewed its lease', async () => {
    await host.db`insert into queue_holders values ('renewed', clock_timestamp() + interval '1 hour')`
    await host.db`insert into queue_keys (queue, key, org, holder) values ('leases.plain', 'kept', 'home', 'renewed')`
    await host.db.transaction(tx => store.freeKeys(tx, ['renewed'], false, host.clock.now().toISOString()))
    const [row] = await host.db<{ holder: string }>`select holder from queue_keys where key = 'kept'`
    assert.equal(row?.holder, 'renewed')
  })
})
