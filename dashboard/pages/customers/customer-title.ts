/** A customer as the title of a document, which browsers store: plain names, and none that could be a phone or an address of somebody. Else ''. */
export function titleOfCustomer(customer: string): string {
  return /^[\p{L}\d_.-]{1,40}$/u.test(customer) && !/(?:\d\D?){7}/.test(customer) ? customer : ''
}
