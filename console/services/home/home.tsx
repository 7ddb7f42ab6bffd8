import { useQuery } from '@tanstack/react-query'
import { me } from '../../api.ts'
import { Sheet } from '../../frame/sheet.tsx'

export function Home() {
  const { data } = useQuery(me)
  return (
    <Sheet title="Home">
      <header className="head">
        <div className="grow">
          <h1>{data?.orgs.find(one => one.org === data.org)?.name}</h1>
        </div>
      </header>
    </Sheet>
  )
}
