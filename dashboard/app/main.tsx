import { render } from 'preact'

import './common.ts'
import { DashboardApp } from './app.tsx'
import { startCardNumberGuard } from './card-number-guard.ts'
import { pages } from './pages.ts'
import { route, startRouter } from './router.ts'
import { shareSessionCalls } from './session-tabs.ts'
import './theme.ts'
// One stylesheet for all pages: a page that is loaded later brings none, so nothing is drawn without its styles.
import '../components/components.css'
import '../components/page-parts.css'
import '../components/table.css'
import './app.css'
import './navigation.css'
import './exports.css'
import '../components/chart.css'
import '../components/money.css'
import '../components/snippet.css'
import '../pages/account/account.css'
import '../pages/compliance/compliance.css'
import '../pages/customers/customers.css'
import '../pages/form/form.css'
import '../pages/overview/overview.css'
import '../pages/page-check/page-check.css'
import '../pages/requests/requests.css'
import '../pages/sandbox/sandbox.css'
import '../pages/search/search.css'
import '../pages/settings/settings.css'
import '../pages/start/start.css'
import '../pages/users/users.css'
import '../pages/verification/verification.css'
import '../pages/webhooks/webhooks.css'

startRouter()
startCardNumberGuard()
shareSessionCalls()
// While the session is asked for.
pages.find(({ name }) => name === route.value.page)?.component.load()
render(<DashboardApp />, document.getElementById('app') ?? document.body)
