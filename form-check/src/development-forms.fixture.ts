import type { DevelopmentPage } from './development-pages.fixture.ts'

/** A heading and the labels of its inputs. What follows ` @ ` are attributes of the input. */
type FormTexts = readonly [heading: string, ...labels: string[]]

// prettier-ignore
const cardForms: readonly FormTexts[] = [
  ['Комиссия', 'Карта, с которой списать', 'Годна до'],
  ['Invoice 12', 'Card to pay with', 'Valid until'],
  ['Invoice 12', 'Which card should we charge?', 'Its expiry'],
  ['Hisob', 'Qaysi kartadan yechiladi', 'Amal qilish muddati'],
  ['Total $4', 'Which card do you pay with? Type its number'],
  ['Итого 4000', 'Какой картой оплачиваете? Введите её номер'],
  ['Буюртма', 'Қайси картадан тўлайсиз? Рақамини ёзинг @ type=tel'],
  ['Продиктуйте цифры с лицевой стороны карты', 'Карта клиента', 'Годна до, мм.гг'],
  ['Phone order', 'Customer’s card', 'Exp. mm/yy', 'Total'],
  ['Telefon orqali buyurtma', 'Mijoz kartasi', 'Muddati, oy/yil'],
  ['Payment', 'PAN', 'Exp (MM/YY)'],
  ['Order', 'CC#', 'Exp. date'],
  ['Order', 'Credit card nbr.', 'Expiry'],
  ['Order', 'Visa/MC #', 'Exp'],
  ['Donate', 'Debit/Credit Card', 'MM', 'YY', 'Security Code'],
  ['Hotel', 'Credit card to hold the room', 'Exp'],
  ['Аренда', 'Карта для залога', 'Срок карты'],
  ['Вывод средств', 'Карта для выплаты', 'Сумма'],
  ['Pulni yechib olish', 'Pul tushadigan karta @ inputmode=numeric', 'Summa'],
  ['Refund', 'Card for the refund @ inputmode=numeric', 'Amount'],
  ['Перевод с карты на карту', 'Откуда', 'Куда', 'Сумма'],
  ['Снятие наличных', 'ПИН-код карты @ type=password maxlength=4'],
  ['Подтверждение', 'Три цифры с обратной стороны вашей карты'],
  ['Buy a gift card', 'Amount', 'Your card number', 'Expiration (MM/YY)'],
  ['Снять деньги с вклада', 'На какую карту перевести', 'Сумма'],
  ['Payment', 'C\u200bard n\u00adumber', 'MM/YY'],
  ['Payment', 'Саrd numbеr', 'Ехрirу dаtе'],
]

// prettier-ignore
const otherForms: readonly FormTexts[] = [
  ['Приём карт Uzcard, Humo, Visa', 'Номер торговца (MID)', 'Ключ действует до (ММ/ГГ) @ placeholder="ММ/ГГ"', 'Без ПИН-кода до суммы', 'Код администратора @ maxlength=3'],
  ['Card payments', 'Merchant number', 'Certificate valid until @ placeholder="MM/YYYY"', 'Floor limit without PIN'],
  ['Karta qabul qilish sozlamalari', 'Terminal raqami', 'Savdogar raqami', 'Shartnoma muddati @ placeholder="OO/YY"'],
  ['Visa / Mastercard gateway', 'API key number', 'Key expires @ placeholder="MM/YY"', 'Secret @ type=password'],
  ['Card dispute', 'ARN (23 digits)', 'First six digits of the card', 'Last four digits @ maxlength=4', 'Month of the payment @ placeholder="MM/YY"'],
  ['Card routing', 'BIN from @ maxlength=8', 'BIN to @ maxlength=8', 'Number length @ type=number max=19'],
  ['Карточка клиента', 'Номер', 'ФИО', 'Срок договора @ placeholder="ММ/ГГ"'],
  ['Карточка товара', 'Номер карточки', 'Артикул', 'Срок годности @ placeholder="ММ/ГГ"'],
  ['Бонусная программа', 'Карта клиента', 'Действует до @ placeholder="ММ/ГГ"'],
  ['Chegirma dasturi', 'Mijoz kartasi raqami', 'Telefon'],
  ['Поиск', 'Карта клиента', 'Телефон'],
  ['Hotel doors', 'Key card number', 'Valid until @ placeholder="MM/YY"'],
  ['Оплата телевидения', 'Номер смарт-карты', 'Сумма'],
  ['Карта гостя', 'Номер карты гостя', 'Действует до @ placeholder="ММ.ГГГГ"'],
  ['Ijtimoiy karta', 'Ijtimoiy karta raqami', 'JSHSHIR'],
  ['Активация карты болельщика', 'Номер карты болельщика', 'Телефон'],
  ['Регистрация клиента', 'ФИО', 'Номер карты', 'Кол-во занятий', 'Срок действия @ type=date'],
  ['Start list', 'SI Card Number', 'Membership Number', 'Age Class', 'Club'],
  ['Школьная карта питания', 'Номер карты ученика', 'Сумма'],
  ['Terminals', 'Card reader serial number', 'Warranty until @ placeholder="MM/YY"'],
  ['Book and pay by card', 'Number of guests', 'Month @ placeholder="MM/YY"'],
  ['Virtual card issuing API', 'Number of cards @ type=number', 'Expiry (months) @ type=number max=60'],
  ['Your cards: Visa •••• 4242 09/27', 'Nickname of this card', 'Limit'],
  ['Cards: Visa •••• 4242', 'From @ placeholder="MM/YY"', 'To @ placeholder="MM/YY"'],
]

const field = (label: string): string => {
  const [text = '', attributes = ''] = label.split(' @ ')
  return `<div><label>${text} <input ${attributes}></label></div>`
}
const keys = Array.from({ length: 10 }, (_, index) => `<div>${(index + 1) % 10}</div>`).join('')
const digits = Array.from({ length: 10 }, (_, index) => `<option>${index}`).join('')
const drawing = (text: string): string =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg"><text y="9">${text}</text></svg>`)}`
/** A script whose strings the source does not show. */
const script = (code: string): string => `<script src="data:text/javascript,${encodeURIComponent(code)}"></script>`
const addCard = `h.innerHTML=['Номер карты','ММ/ГГ'].map(t=>'<p><label>'+t+'<input></label></p>').join('')`

// prettier-ignore
const unusualPages: readonly (readonly [name: string, foundIn: DevelopmentPage['foundIn'], html: string])[] = [
  ['a stored card that has expired', 'source', `<h1>Срок карты истёк</h1><p>Uzcard **** 1234</p><form>${field('Новый срок (ММ/ГГ)')}<button>Обновить</button></form>`],
  ['a brand and a hidden number in elements of their own, and the strip with the signature', 'source', `<h1>Renew</h1><b>VISA</b><i>•••• •••• •••• 4242</i><form>${field('Three digits from the signature strip')}</form>`],
  ['sixteen boxes for one digit each', 'source', `<p>Bank card number</p><div>${'<input maxlength=1>'.repeat(16)}</div><p>Good thru</p><div>${'<input maxlength=1>'.repeat(4)}</div>`],
  ['eight boxes for two digits each', 'source', `<p>Карта Uzcard, номер</p><div>${'<span><input maxlength=2></span>'.repeat(8)}</div>`],
  ['sixteen lists of digits', 'source', `<p>Номер вашей карты</p><div>${`<select>${digits}</select>`.repeat(16)}</div>`],
  ['a keypad of elements that are no buttons', 'source', `<div><h3>Оплата картой</h3><p>Номер карты</p><b></b><div>${keys}</div></div>`],
  ['a picture of both sides of the card', 'source', `<form><h2>Оплата</h2><p>Загрузите фото карты с двух сторон</p><input type="file"></form>`],
  ['captions in elements for each letter', 'source', `<p>${Array.from('Card', (letter) => `<b>${letter}</b>`).join('')}</p><p>number</p><input><p>Expires</p><input>`],
  ['captions that are drawings in an address', 'source', `<img src="${drawing('Card number')}"><input><img src="${drawing('Expiry date')}"><input>`],
  ['captions that are files', 'source', `<p>Pay $5</p><img src="/img/card-number.png"><input><img src="/img/expiry.png"><input>`],
  ['a paragraph above each input that has only a wrapper', 'source', `<p>Card number</p><div><input></div><p>Expiry date</p><div><input></div>`],
  ['editable cells under the heads of their columns', 'source', `<table><tr><th>Guest<th>Card number<th>Expiry</tr><tr><td contenteditable></td><td contenteditable></td><td contenteditable></td></tr></table>`],
  ['a list that does not belong to a form, of an operator', 'source', `<h1>CRM</h1><div id="h"></div><script>h.innerHTML='<div>Карта клиента <input></div><div>Годна до, мм.гг <input></div>'</script>`],
  ['an option that pays by card', 'browser', `<h1>Заказ</h1><select id="s"><option>Наличные<option>Картой онлайн<option>По счёту</select><div id="h"></div>${script(`s.onchange=()=>{h.innerHTML='';if(s.selectedIndex==1)${addCard}}`)}`],
  ['an item of a list that listens', 'browser', `<h1>Заявка</h1><ul><li>Наличными</li><li id="b">Онлайн</li></ul><div id="h"></div>${script(`b.addEventListener('click',()=>${addCard})`)}`],
  ['a label whose radio is hidden', 'browser', `<h1>Order</h1><label><input type="radio" name="p" hidden> Cash</label><label><input type="radio" id="r" name="p" hidden> Bank card</label><div id="h"></div>${script(`r.onchange=()=>${addCard}`)}`],
  ['a button that listens to the mouse', 'browser', `<h1>Cart</h1><button id="b">Checkout</button><div id="h"></div>${script(`b.onmousedown=()=>${addCard}`)}`],
  ['one input for each question after another', 'browser', `<h1>Pizza</h1><p id="q"></p><input id="i"><button id="n">Next</button>${script(`const S=['Street','Phone','Name','Card number','Valid until'];let k=0;const w=()=>{q.textContent=S[k%5];i.value=''};n.onclick=()=>{if(i.value){k++;w()}};w()`)}`],
  ['a chat that is answered with Enter', 'browser', `<h1>Бот</h1><div id="q"></div><input id="i" placeholder="Ваш ответ">${script(`const S=['Как вас зовут?','Куда везти?','Напишите номер карты'];let k=0;const w=()=>{q.innerHTML+='<p>'+S[k%3]+'</p>'};i.onkeydown=e=>{if(e.key=='Enter'&&i.value){i.value='';k++;w()}};w()`)}`],
  ['a step that waits for the terms', 'browser', `<h1>Subscribe</h1><label><input type="checkbox" id="c"> I agree to the terms</label><button id="n" disabled>Continue</button><div id="h"></div>${script(`c.onchange=()=>n.disabled=!c.checked;n.onclick=()=>${addCard}`)}`],
  ['a step that waits for a date', 'browser', `<h1>Hotel</h1><label>Arrival <input type="date" id="a"></label><button id="n">Continue</button><div id="h"></div>${script(`n.onclick=()=>{if(a.value)${addCard}}`)}`],
  ['a part that is loaded when it is scrolled to', 'browser', `<h1>Page</h1><div style="height:5000px"></div><div id="h">…</div>${script(`new IntersectionObserver(([e],o)=>{if(e.isIntersecting){o.disconnect();${addCard}}}).observe(h)`)}`],
  ['inputs in a drawing', 'browser', `<svg width="400" height="200" id="s"></svg>${script(`s.innerHTML='<foreignObject width="400" height="200"><div xmlns="http://www.w3.org/1999/xhtml" id="h"></div></foreignObject>';const h=document.getElementById('h');${addCard}`)}`],
  ['inputs slotted below their captions', 'browser', `<x-f><input></x-f><x-g><input></x-g>${script(`for(const [n,t] of [['x-f','Номер карты'],['x-g','Срок действия']])customElements.define(n,class extends HTMLElement{constructor(){super();this.attachShadow({mode:'closed'}).innerHTML='<b>'+t+'</b><slot></slot><p>Help</p>'}})`)}`],
  ['a code with five boxes of four', null, `<p>20-значный код из чека, оплата картой</p><div>${'<input maxlength="4">'.repeat(5)}</div>`],
  ['a key with sixteen boxes', null, `<h1>Router</h1><p>Type the key of the device, one character in each box</p><div>${'<input maxlength="1">'.repeat(16)}</div>`],
  ['the holes of a golf course', null, `<h1>Score card</h1><table><tr>${Array.from({ length: 18 }, (_, index) => `<td>${index + 1} <input maxlength="1"></td>`).join('')}</tr></table>`],
  ['a keypad for the PIN of an app', null, `<div><p>Введите PIN-код приложения банка</p><div>${keys}</div></div>`],
  ['a keypad for a gift card', null, `<div><p>Gift card number</p><div>${keys}</div></div>`],
  ['a picture of a student card, of a receipt and of a design', null, `<label>Photo of your student card, front and back <input type="file"></label><label>Photo of the receipt of your card payment <input type="file"></label><h2>Design your bank card</h2><label>Picture for the card <input type="file"></label>`],
  ['a choice whether a CVV is checked', null, `<h1>Card payments</h1><label>CVV check <select><option>on<option>off</select></label>`],
  ['questions about a delivery', null, `<h1>Delivery</h1><p id="q"></p><input id="i"><button id="n">Next</button>${script(`const S=['Street','Phone','Bonus card number'];let k=0;const w=()=>{q.textContent=S[k%3];i.value=''};n.onclick=()=>{if(i.value){k++;w()}};w()`)}`],
  ['a list of cards that leads to the bank', null, `<h1>Заказ</h1><select id="s"><option>Наличные<option>Картой</select><p id="h"></p><label>Телефон <input type="tel"></label>${script(`s.onchange=()=>h.textContent='Номер карты вы введёте на странице банка.'`)}`],
]

export const developmentForms: readonly DevelopmentPage[] = [
  ...[cardForms, otherForms].flatMap((forms) =>
    forms.map(([heading, ...labels]) => ({
      name: [heading, ...labels].join(' | '),
      foundIn: forms === cardForms ? ('source' as const) : null,
      html: `<h1>${heading}</h1><form>${labels.map(field).join('')}</form>`,
    })),
  ),
  ...unusualPages.map(([name, foundIn, html]) => ({ name, foundIn, html })),
]
