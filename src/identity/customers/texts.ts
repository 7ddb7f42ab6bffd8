// Every text on the customers' pages and in their mails. A translation is another object of this type.

const minutes = (count: number) => (count === 1 ? '1 minute' : `${count} minutes`)

export const english = {
  language: 'en',
  field: {
    email: 'E-mail address',
    name: 'Name (optional)',
    password: 'Password',
    newPassword: 'Choose a password (at least 12 characters)',
    optionalPassword: 'Password (optional, at least 12 characters)',
    code: 'Code from the e-mail',
  },
  signIn: {
    title: 'Sign in',
    to: (app: string) => `to ${app}`,
    button: 'Sign in',
    register: 'Create an account',
    byCode: 'E-mail me a sign-in code',
    forgotten: 'Forgot your password?',
    byPassword: 'Sign in with a password',
  },
  register: {
    title: 'Create an account',
    at: (app: string) => `at ${app}. If you do not choose a password, you sign in with codes sent by e-mail.`,
    button: 'Continue',
    have: 'I already have an account',
  },
  byCode: { title: 'Sign in with a code', says: 'We will send you a code by e-mail.', button: 'Send code' },
  reset: { title: 'Choose a new password', says: 'We will send you a code by e-mail.', button: 'Send code' },
  enter: {
    title: 'Check your e-mail',
    says: (email: string, app: string) =>
      `${app} sent an e-mail to ${email}. If it contains a code, enter it here within 10 minutes.`,
    resetSays: (email: string, app: string) =>
      `${app} sent an e-mail to ${email}. If it contains a code, enter it here within 10 minutes and choose a new password.`,
    digits: 'Six digits',
    button: 'Continue',
    again: 'Send another code',
    otherAddress: 'Use another address',
  },
  account: {
    title: 'Your account',
    at: (who: string, app: string) => `${who}, at ${app}`,
    unconfirmed: (email: string) => `${email} (not confirmed)`,
    back: (app: string) => `Back to ${app}`,
    name: { title: 'Your name', label: 'Name', button: 'Save name', done: 'Your name was saved.' },
    password: {
      title: 'Change password',
      choose: 'Choose a password',
      label: 'New password (at least 12 characters)',
      button: 'Save password',
      done: 'Your password was saved. You are signed out everywhere else.',
    },
    email: {
      title: 'Change e-mail address',
      label: 'New e-mail address',
      button: 'Send a link to this address',
      done: 'We sent an e-mail to the new address. The link in it is valid for one hour.',
    },
    current: 'Current password',
    again: {
      says: 'You signed in some time ago. Please sign in again to confirm your identity.',
      link: 'Sign in again',
    },
    browsers: {
      title: 'Where you are signed in',
      none: 'The account page',
      end: 'Sign out',
      endOf: (at: string) => `Sign out the session started on ${at}`,
      since: 'since',
      here: ' (this browser)',
      done: 'That session was signed out.',
      everywhere: 'Sign out everywhere',
      left: 'You are signed out',
      leftSays: 'You are signed out everywhere, including this browser.',
      signIn: 'Sign in',
    },
    delete: {
      title: 'Delete account',
      says: 'Your account is deleted immediately, and you are signed out everywhere. This cannot be undone.',
      confirm: 'Yes, delete my account',
      button: 'Delete account',
      deleted: 'Your account was deleted',
      deletedSays: 'You are signed out everywhere.',
    },
    signOut: 'Sign out',
    failed: { title: 'You are not signed in', says: 'The sign-in failed.', link: 'Try again' },
    problem: {
      foreign: 'This form is no longer valid. Please try again.',
      password: 'The current password is wrong.',
      tooMany: (wait: number) => `Too many attempts. Wait ${minutes(wait)}, then try again.`,
      name: 'Please enter a name: one line of at most 120 characters.',
      ended: 'That session has already ended.',
      again: 'You signed in some time ago. Please sign in again first.',
      confirm: 'Please tick the box to confirm that you want to delete your account.',
    },
  },
  address: {
    title: 'Your new e-mail address',
    says: (email: string) => `Do you want to sign in with ${email} from now on?`,
    button: 'Use this address',
    signIn: 'Sign in first',
    signInSays: 'In this browser, sign in to the account that requested this change. Then open the link again.',
    done: 'Your e-mail address was changed',
    doneSays: (email: string) => `You now sign in with ${email}.`,
    link: 'Your account',
  },
  problem: {
    again: 'please try again',
    unreadable: 'The form could not be read. Please try again.',
    address: 'Please enter an e-mail address.',
    wrongPassword: 'The e-mail address or the password is wrong.',
    tooManyPasswords: (wait: number) => `Too many wrong passwords. Wait ${minutes(wait)}, then try again.`,
    tooManyCodes: (wait: number) =>
      `Too many codes were entered from your network. Wait ${minutes(wait)}, then try again.`,
    tooManyMails: (wait: number) =>
      `Too many e-mails were sent to this address or from your network. Wait ${minutes(wait)}, then try again.`,
    wrongCode: 'This code is wrong. Please check it and try again.',
    endedCode: 'This code is no longer valid. Please request a new one.',
    blocked: 'This account is blocked. Please contact us.',
    domains: (domains: readonly string[]) => `Only e-mail addresses at ${domains.join(', ')} are accepted.`,
    disposable: 'Disposable e-mail addresses are not accepted. Please enter another one.',
    mail: 'The e-mail could not be sent. Please try again later.',
    full: 'No new accounts can be created at the moment. Please try again later.',
    changed: 'Something changed in the meantime. Please try again.',
  },
  mail: {
    code: {
      subject: (code: string) => `${code} is your code`,
      says: (name: string) => `Your code for ${name}:`,
      resetSays: (name: string) => `Your code to choose a new password at ${name}:`,
      valid: 'It is valid for 10 minutes and works only in the browser in which you requested it.',
    },
    exists: {
      subject: 'You already have an account',
      says: (name: string) =>
        `Somebody tried to create an account at ${name} with this address, but it already has one. If this was you, use this code to sign in; your password stays the same:`,
    },
    unknown: {
      subject: 'There is no account with this address',
      says: (name: string) =>
        `Somebody tried to sign in to ${name} with this address, but it has no account. If this was you, your account may use another address.`,
      registerSays: (name: string) =>
        `Somebody tried to create an account at ${name} with this address, but new accounts need an invitation. If this was you, please contact ${name}.`,
    },
    blocked: {
      subject: 'Your account is blocked',
      says: (name: string) =>
        `Somebody tried to sign in to ${name} with this address, but its account is blocked. If this was you, please contact ${name}.`,
      registerSays: (name: string) =>
        `Somebody tried to create an account at ${name} with this address, but it already has one, which is blocked. If this was you, please contact ${name}.`,
    },
    address: {
      subject: 'Confirm your new address',
      says: (name: string) => `Somebody wants to use this address for their account at ${name}.`,
      open: 'If this was you, open this link within one hour in a browser in which you are signed in:',
    },
    taken: {
      subject: 'You already have an account',
      says: (name: string) =>
        `Somebody tried to use this address for their account at ${name}, but another account already uses it. If this was you, sign in with this address instead.`,
    },
    changed: {
      subject: 'Your password was changed',
      says: (name: string) =>
        `The password of your account at ${name} was changed. You are signed out everywhere else.`,
      alarm:
        'If this was not you, choose a new password immediately: follow "Forgot your password?" on the sign-in page.',
    },
    moved: {
      subject: 'Your e-mail address was changed',
      says: (name: string, to: string) => `Your account at ${name} now uses the address ${to} instead of this one.`,
      alarm: (name: string) => `If this was not you, contact ${name} immediately.`,
    },
    ignore: 'If this was not you, you can ignore this e-mail.',
  },
}

export type Texts = typeof english
