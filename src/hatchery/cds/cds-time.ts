import { isoTime } from '../../ports/index.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** How CDS writes a time that was never set. */
export const noTime = '0001-01-01T00:00:00Z'

/** A time as CDS wants it in its `Date` header: `5 Nov 2026 02:41:00 +0000`. */
export function cdsDate(milliseconds: number): string {
  const [day, time] = isoTime(milliseconds).split('T') as [string, string]
  const [year, month, date] = day.split('-') as [string, string, string]
  return `${Number(date)} ${months[Number(month) - 1]} ${year} ${time.slice(0, 8)} +0000`
}
