/** A page that the rules were written with. The frozen corpus (form-check/corpus) measures them; these pages do not. */
export interface DevelopmentPage {
  readonly name: string
  /** The half of the check that has to find a card input; null: the page is clean. */
  readonly foundIn: 'source' | 'browser' | null
  readonly html: string
}

const months = Array.from({ length: 12 }, (_, index) => `<option>${String(index + 1).padStart(2, '0')}</option>`).join('')
const years = Array.from({ length: 8 }, (_, index) => `<option>${2026 + index}</option>`).join('')

export const developmentPages: readonly DevelopmentPage[] = [
  {
    name: 'a pharmacy, in Uzbek, with labels by for',
    foundIn: 'source',
    html: `<h2>Buyurtma uchun to‘lov</h2><form><label for="a">Plastik karta raqami</label><input id="a" inputmode="numeric">
      <label for="b">Amal qilish muddati</label><input id="b" placeholder="OO/YY"><button>To‘lash</button></form>`,
  },
  {
    name: 'a taxi company, in Russian, with labels around',
    foundIn: 'source',
    html: `<form method="post"><p>Оплата поездки: 24 000 сум</p><label>Номер карты <input name="n"></label><label>Срок действия <input name="e" placeholder="ММ/ГГ"></label></form>`,
  },
  {
    name: 'a school fund, in Cyrillic Uzbek, in a table',
    foundIn: 'source',
    html: `<h1>Хайрия</h1><table><tr><td>Картангиз рақами</td><td><input></td></tr><tr><td>Муддати</td><td><input size="5"></td></tr></table>`,
  },
  {
    name: 'placeholders alone',
    foundIn: 'source',
    html: `<div class="f1"><input placeholder="0000 0000 0000 0000"><input placeholder="MM / YY"></div><button>Continue</button>`,
  },
  {
    name: 'aria-labelledby and a neutral placeholder',
    foundIn: 'source',
    html: `<span id="q1">Card number</span><span id="q2">Expires</span><input aria-labelledby="q1" placeholder="Required"><input aria-labelledby="q2" placeholder="Required">`,
  },
  {
    name: 'four inputs of four digits below a heading, and two selects',
    foundIn: 'source',
    html: `<h3>Uzcard / Humo</h3><div>${'<input maxlength="4" inputmode="numeric">'.repeat(4)}</div><select>${months}</select><select>${years}</select><button>Pay 120 000 UZS</button>`,
  },
  {
    name: 'a mask that a script sets',
    foundIn: 'source',
    html: `<form><p>Введите реквизиты для оплаты</p><input id="num"><input id="till" placeholder="мм/гг"></form><script>IMask(document.getElementById('num'), { mask: '0000 0000 0000 0000' })</script>`,
  },
  {
    name: 'inputs that a script writes as markup',
    foundIn: 'source',
    html: `<div id="pay"></div><script>document.getElementById('pay').innerHTML = '<p>Pay by card</p>' + '<label>Card number <input></label>' + '<label>MM/YY <input></label>'</script>`,
  },
  {
    name: 'inputs that a script creates by calls',
    foundIn: 'source',
    html: `<div id="app"></div><script>const h = (tag, props, ...kids) => { const el = document.createElement(tag); Object.assign(el, props); el.append(...kids); return el }
      document.querySelector('#app').append(h('label', {}, 'Номер банковской карты'), h('input', { inputMode: 'numeric', placeholder: '8600 0000 0000 0000' }), h('input', { placeholder: 'ММ/ГГ' }))</script>`,
  },
  {
    name: 'a frame with its own document',
    foundIn: 'source',
    html: `<h1>Checkout</h1><iframe srcdoc="<label>Card number <input></label><label>Valid thru <input placeholder='MM/YY'></label>"></iframe>`,
  },
  {
    name: 'one editable line for everything',
    foundIn: 'source',
    html: `<p>Pay $20</p><div contenteditable="true" data-placeholder="Card number, MM/YY, CVC"></div>`,
  },
  {
    name: 'a message to the hotel with the card in it',
    foundIn: 'source',
    html: `<form action="/mail"><p>To guarantee the booking write your card number and its expiry date in the message.</p><label>Message <textarea name="m"></textarea></label></form>`,
  },
  {
    name: 'a CVV asked for again',
    foundIn: 'source',
    html: `<h2>Pay with card •••• 6311</h2><label>CVV <input maxlength="3" type="password"></label>`,
  },
  {
    name: 'the card of a friend, for a transfer',
    foundIn: 'source',
    html: `<h1>Pul o‘tkazish</h1><form><label>Qabul qiluvchining kartasi raqami<input></label><label>Summa<input></label></form>`,
  },
  {
    name: 'a bank card for a gift card',
    foundIn: 'source',
    html: `<h1>Buy a gift card</h1><form><label>Recipient<input></label><h2>Payment</h2><label>Card number<input></label><label>Expires<input placeholder="MM/YY"></label><label>CVC<input></label></form>`,
  },
  {
    name: 'a window that opens after a press',
    foundIn: 'browser',
    html: `<p>Total 50 000</p><button id="b">Pay now</button><script src="data:text/javascript,${encodeURIComponent(
      `b.onclick=()=>{const d=document.body.appendChild(document.createElement('div'));for(const t of ['Card number','MM/YY']){const l=d.appendChild(document.createElement('label'));l.textContent=t;l.append(document.createElement('input'))}}`,
    )}"></script>`,
  },
  {
    name: 'an input without a word that arranges digits like a card number, added late in a closed shadow root',
    foundIn: 'browser',
    html: `<h1>Checkout</h1><p>Total $9</p><div id="x"></div><script src="data:text/javascript,${encodeURIComponent(
      `setTimeout(()=>{const r=x.attachShadow({mode:'closed'});r.innerHTML='<b></b><i></i>';const n=document.createElement('input');r.append(n);n.oninput=()=>{n.value=n.value.replace(/\\D/g,'').replace(/(.{4})(?=.)/g,'$1 ')}},900)`,
    )}"></script>`,
  },
  {
    name: 'an input without a word whose digits are sent reversed',
    foundIn: 'browser',
    html: `<h1>Checkout</h1><input id="x"><script src="data:text/javascript,${encodeURIComponent(
      `x.onchange=()=>fetch('/log?'+[...x.value].reverse().join(''))`,
    )}"></script>`,
  },
  {
    name: 'steps',
    foundIn: 'browser',
    html: `<form id="f" onsubmit="return false"><div id="s1"><label>Name<input required id="n"></label><label>Phone<input required id="p" type="tel"></label><button type="button" id="next">Next</button></div></form><script src="data:text/javascript,${encodeURIComponent(
      `next.onclick=()=>{if(n.value&&p.value.length>8){s1.hidden=true;const i=f.appendChild(document.createElement('input'));i.setAttribute('aria-label','Karta '+'raqami')}}`,
    )}"></script>`,
  },
  {
    name: 'a label drawn by a style sheet',
    foundIn: 'browser',
    html: `<style>.n::before{content:"Номер карты"}.e::before{content:"ММ/ГГ"}</style><form><p>К оплате 10 000</p><div class="n"><input></div><div class="e"><input></div></form>`,
  },
  {
    name: 'questions in dialogs',
    foundIn: 'source',
    html: `<button onclick="pay()">Оплатить</button><script>function pay(){const n=prompt('Введите номер карты');const e=prompt('Срок действия, ММ/ГГ');fetch('/log',{method:'POST',body:n+e})}</script>`,
  },
  {
    name: 'elements that take keys, with a name and nothing inside',
    foundIn: 'source',
    html: `<h2>Terminal</h2><div tabindex="0" aria-label="Karta raqami"></div><div tabindex="0" aria-label="Muddati OO/YY"></div>`,
  },
  {
    name: 'pictures for captions, and an expiry in two parts',
    foundIn: 'source',
    html: `<form><img alt="Card number"><input maxlength="19"><img alt="Valid thru"><input maxlength="2"> / <input maxlength="2"></form>`,
  },
  {
    name: 'a custom element that is an input, with its label inside',
    foundIn: 'source',
    html: `<my-row>Номер карты</my-row><my-row>Срок действия</my-row><script>customElements.define('my-row',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'open'}).innerHTML='<slot></slot><input>'}})</script>`,
  },
  {
    name: 'a month below the legend of a payment card',
    foundIn: 'source',
    html: `<form><fieldset><legend>Your debit card</legend><span id="boxes"></span><label>Valid until <input type="month"></label></fieldset></form>`,
  },
  {
    name: 'two cards joined by a word',
    foundIn: 'source',
    html: `<form><label>Credit or debit card <input></label><label>Expires <input placeholder="MM / YY"></label></form>`,
  },
  {
    name: 'two inputs without a word, of which the page reads the first when both are filled',
    foundIn: 'browser',
    html: `<h1>Parking</h1><input id="x"><input id="y" maxlength="5"><script src="data:text/javascript,${encodeURIComponent(
      `x.onchange=y.onchange=()=>{if(x.value&&y.value)fetch('/log',{method:'POST',body:[...x.value].reverse().join('')})}`,
    )}"></script>`,
  },
  {
    name: 'an interval that sends what was typed',
    foundIn: 'browser',
    html: `<h1>Checkout</h1><input id="x"><script src="data:text/javascript,${encodeURIComponent(
      `let last='';setInterval(()=>{if(x.value!==last)fetch('/log',{method:'POST',body:btoa(last=x.value)})},1500)`,
    )}"></script>`,
  },
  {
    name: 'brands in place of a caption, under a heading that says nothing',
    foundIn: 'source',
    html: `<h2>Yangi usul</h2><div><input type="tel" placeholder="Humo / Uzcard"><input type="tel" placeholder="oo/yy"></div>`,
  },
  {
    name: 'the number on the front',
    foundIn: 'source',
    html: `<form><p>Kartaning old tomonidagi 16 xonali son</p><input><label>Oy va yil <input maxlength="5"></label></form>`,
  },
  {
    name: 'a legend, and inputs that only say how many digits',
    foundIn: 'source',
    html: `<fieldset><legend>Банковская карта</legend><input title="16 цифр"><input title="ММГГ"></fieldset>`,
  },
  {
    name: 'the code of a stored card',
    foundIn: 'source',
    html: `<h1>Confirm</h1><p>Visa •••• •••• •••• 6311</p><form><label>Security code <input maxlength="3"></label></form>`,
  },
  {
    name: 'a card to send money to, with a button before the input',
    foundIn: 'source',
    html: `<h2>Перевод</h2><form><button type="button">Назад</button><input name="cardNumber" placeholder="Карта получателя"><input placeholder="Сумма"><button>Перевести</button></form>`,
  },
  {
    name: 'a mask for an id of one letter',
    foundIn: 'source',
    html: `<h1>Pay</h1><input id="c"><input id="d"><script>setMask(document.getElementById('c'), '#### #### #### ####')</script>`,
  },
  {
    name: 'markup that is cut inside the name of a tag',
    foundIn: 'source',
    html: `<div id="a"></div><script>a.innerHTML = ['<p>Card number</p><in', 'put maxlength="19"><p>MM/YY</p><inp', 'ut>'].join('')</script>`,
  },
  {
    name: 'captions on canvases',
    foundIn: 'browser',
    html: `<canvas id="p" height="20"></canvas><input><canvas id="q" height="20"></canvas><input><script>
      for (const [canvas, text] of [[p, ['Карта', ' рақами']], [q, ['Муддати']]]) text.forEach((part, index) => canvas.getContext('2d').fillText(part, index * 40, 15))</script>`,
  },
  {
    name: 'inputs without a word whose digits are sent encoded after a press',
    foundIn: 'browser',
    html: `<h1>Parking</h1><div style="background:url(number.png)"><input id="x"></div><input id="y"><button id="go">OK</button><script src="data:text/javascript,${encodeURIComponent(
      `go.onclick=()=>{if(x.value.length>15)navigator.sendBeacon('/log',btoa(x.value+y.value))}`,
    )}"></script>`,
  },
  {
    name: 'a heading that names an account, and groups of four',
    foundIn: null,
    html: `<h3>Personal account number</h3><input placeholder="0000 0000 0000 0000"><h3>Period</h3><input placeholder="MM/YY"><button>Pay</button>`,
  },
  {
    name: 'a collection of cards',
    foundIn: null,
    html: `<h1>Your collection of trading cards</h1><form><label>Card name <input></label><label>Card number <input></label><label>Year <input maxlength="4"></label><button>Add card</button></form>`,
  },
  {
    name: 'a sign-in with the card of readers',
    foundIn: null,
    html: `<title>Return a book: log in</title><form><label>Card no. <input placeholder="Enter your card no."></label><button>Submit</button></form>`,
  },
  {
    name: 'a library, a card number with an expiry and a PIN',
    foundIn: null,
    html: `<h1>Городская библиотека</h1><form method="post"><label>Номер карты <input></label><label>Срок действия <input placeholder="ММ/ГГ"></label><label>PIN <input type="password"></label><button>Войти</button></form>`,
  },
  {
    name: 'an editor of cards on a page, named like a card form',
    foundIn: null,
    html: `<h1>Cards</h1><form action="/save"><label>Card number (position) <input name="card-number" type="number" value="2"></label><label>Card expires <input name="cc-exp" placeholder="MM/YY"></label><label>Security level <input name="cvc" value="1"></label></form>`,
  },
  {
    name: 'a code for a phone whose number is hidden',
    foundIn: null,
    html: `<p>+998 90 •••• 4567</p><form><label>Security code <input maxlength="6"></label></form>`,
  },
  {
    name: 'a login whose words are encoded',
    foundIn: null,
    html: `<label>Name <input id="x"></label><label>Password <input id="y" type="password"></label><button id="go">Log in</button><script src="data:text/javascript,${encodeURIComponent(
      `go.onclick=()=>fetch('/in',{headers:{authorization:'Basic '+btoa(x.value+':'+y.value)}})`,
    )}"></script>`,
  },
  {
    name: 'a passport, with a number in groups of four and an expiry',
    foundIn: null,
    html: `<h1>Паспортные данные</h1><label>Номер записи <input placeholder="0000 0000 0000 0000"></label><label>Срок действия <input placeholder="ММ/ГГГГ"></label>`,
  },
  {
    name: 'a text that sends to the form, and a comment',
    foundIn: null,
    html: `<p>Введите номер карты и срок действия в форме провайдера.</p><iframe src="https://pay.example/frame"></iframe><form><label>Комментарий <textarea></textarea></label></form><script>document.title='Введите номер карты и срок действия в форме. '+'<p>Комментарий</p><input>'</script>`,
  },
  {
    name: 'a scroll area with the name of a help page',
    foundIn: null,
    html: `<div tabindex="0" aria-label="Where is my card number?"><p>On the face of the card.</p></div>`,
  },
  {
    name: 'a gift card',
    foundIn: null,
    html: `<h1>Check your balance</h1><form><h2>Gift card</h2><label>Card number <input placeholder="0000 0000 0000 0000"></label><label>PIN <input maxlength="4"></label><button>Check</button></form>`,
  },
  {
    name: 'a discount card of a shop, in Russian',
    foundIn: null,
    html: `<form><p>Оплата при получении</p><label>Номер карты постоянного покупателя <input name="card_number" maxlength="16"></label></form>`,
  },
  {
    name: 'a library card, in Uzbek',
    foundIn: null,
    html: `<h1>Kutubxona</h1><form><label>Kutubxona kartasi raqami<input name="card"></label><label>Amal qilish muddati<input placeholder="OO/YY"></label></form>`,
  },
  {
    name: 'a login that remembers',
    foundIn: null,
    html: `<form action="/login"><input name="login" placeholder="Phone or card ID"><input type="password"><label><input type="checkbox" checked> Remember me</label></form>`,
  },
  {
    name: 'a search for cards',
    foundIn: null,
    html: `<form><input type="search" name="card-name" class="card-number cardholder" placeholder="Search 12 000 cards"></form><input name="cards" placeholder="Card name or set number">`,
  },
  {
    name: 'tax and account numbers',
    foundIn: null,
    html: `<form><label>ИНН <input maxlength="9"></label><label>Расчётный счёт <input placeholder="2020 8000 1234 5678 0001"></label><label>ПИНФЛ<input maxlength="14"></label><label>IBAN<input placeholder="UZ00 0000 0000 0000 0000"></label></form>`,
  },
  {
    name: 'a licence key',
    foundIn: null,
    html: `<form><label>Licence key <input placeholder="XXXX-XXXX-XXXX-XXXX"></label><label>Valid until <input placeholder="MM/YY"></label></form>`,
  },
  {
    name: 'a report from month to month',
    foundIn: null,
    html: `<form><h1>Payment report</h1><label>From <input placeholder="MM/YY"></label><label>To <input placeholder="MM/YY"></label><select>${months}</select></form>`,
  },
  {
    name: 'a warning against fraud with comments below',
    foundIn: null,
    html: `<h1>Never tell your card number</h1><p>They write: “Enter your card number and CVV to get a prize”. Do not.</p><form><label>Comment<textarea></textarea></label></form>`,
  },
  {
    name: 'the last four digits of a card',
    foundIn: null,
    html: `<form><label>Last four digits of the card <input maxlength="4" name="card_number"></label><label>Oxirgi 4 raqam<input maxlength="4"></label></form>`,
  },
  {
    name: 'an application for a bank card',
    foundIn: null,
    html: `<h1>Order a Visa card</h1><form><label>Name on the card <input></label><label>Passport number<input></label><label>Card type<select><option>Visa<option>Humo</select></label><label>Number of cards<input type="number" max="3"></label></form>`,
  },
  {
    name: 'a code by SMS',
    foundIn: null,
    html: `<form><p>Enter the code from the SMS</p>${'<input maxlength="1" inputmode="numeric">'.repeat(6)}<input autocomplete="one-time-code"></form>`,
  },
  {
    name: 'a SIM card',
    foundIn: null,
    html: `<form><h2>Активация</h2><label>Номер SIM-карты (ICCID) <input placeholder="8998 0000 0000 0000 000"></label></form>`,
  },
  {
    name: 'a transport card filled by a provider',
    foundIn: null,
    html: `<h1>Transport kartasini to‘ldirish</h1><form action="https://pay.example/start"><label>Karta raqami<input maxlength="16" inputmode="numeric" placeholder="0000 0000 0000 0000"></label><label>Summa<input></label><p>To‘lov bank kartasi bilan provayder sahifasida.</p></form>`,
  },
  {
    name: 'search suggestions that send and remember what is typed',
    foundIn: null,
    html: `<input id="q" type="search" placeholder="Search the shop"><script src="data:text/javascript,${encodeURIComponent(
      `q.oninput=()=>{fetch('/suggest?q='+encodeURIComponent(q.value));localStorage.last=q.value}`,
    )}"></script>`,
  },
  {
    name: 'business cards to print',
    foundIn: null,
    html: `<h1>Business cards</h1><form><label>Name on the card<input></label><label>Card number of copies<input type="number" max="500"></label><label>Phone<input></label><label>Card text<textarea></textarea></label></form>`,
  },
]
