// Every text that customers read on pages and in mails. A translation is another object of this type.

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
    byCode: 'Sign in with a code by e-mail',
    forgotten: 'Forgot your password?',
    byPassword: 'Sign in with a password',
  },
  register: {
    title: 'Create an account',
    at: (app: string) => `at ${app}. Without a password, you sign in with codes by e-mail.`,
    button: 'Continue',
    have: 'I already have an account',
  },
  byCode: { title: 'Sign in with a code', says: 'We send you a code by e-mail.', button: 'Send the code' },
  reset: { title: 'Choose a new password', says: 'We send you a code by e-mail.', button: 'Send the code' },
  enter: {
    title: 'Check your mail',
    says: (email: string, app: string) =>
      `${app} sent an e-mail to ${email}. If there is a code in it, enter it here within 10 minutes.`,
    resetSays: (email: string, app: string) =>
      `${app} sent an e-mail to ${email}. If there is a code in it, enter it here within 10 minutes and choose a new password.`,
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
    name: { title: 'You', label: 'Name', button: 'Save the name', done: 'Your name is saved.' },
    password: {
      title: 'Change the password',
      choose: 'Choose a password',
      label: 'New password (at least 12 characters)',
      button: 'Save the password',
      done: 'Your password is saved, and all your other sign-ins have ended.',
    },
    email: {
      title: 'Change the e-mail address',
      label: 'New e-mail address',
      button: 'Send a link to this address',
      done: 'An e-mail is on its way to the new address. Its link is valid for an hour.',
    },
    current: 'Current password',
    again: {
      says: 'You signed in a while ago. To show that it is you, sign in again.',
      link: 'Sign in again',
    },
    browsers: {
      title: 'Where you are signed in',
      none: 'The account page',
      end: 'End',
      endOf: (at: string) => `End the sign-in of ${at}`,
      since: 'since',
      here: ', in this browser',
      done: 'That sign-in has ended.',
      everywhere: 'Sign out everywhere',
      left: 'You are signed out',
      leftSays: 'You were signed out everywhere, in this browser too.',
      signIn: 'Sign in',
    },
    delete: {
      title: 'Delete the account',
      says: 'Your account is deleted at once, and you are signed out everywhere. This cannot be undone.',
      confirm: 'Yes, delete my account',
      button: 'Delete the account',
      deleted: 'Your account is deleted',
      deletedSays: 'You are signed out everywhere.',
    },
    signOut: 'Sign out',
    failed: { title: 'You are not signed in', says: 'Signing in did not work.', link: 'Try again' },
    problem: {
      foreign: 'This form was not sent from this page. Please try again.',
      password: 'The current password is wrong.',
      tooMany: (wait: number) => `Too many attempts. Wait ${minutes(wait)}, then try again.`,
      name: 'Please enter a name: one line of at most 120 characters.',
      ended: 'That sign-in has ended already.',
      again: 'You signed in a while ago. Please sign in again first.',
      confirm: 'Please tick the box to confirm that you want to delete your account.',
    },
  },
  address: {
    title: 'Your new address',
    says: (email: string) => `Do you want to sign in with ${email} from now on?`,
    button: 'Use this address',
    signIn: 'Sign in first',
    signInSays: 'Sign in, in this browser, to the account that is to get this address. Then open the link again.',
    done: 'Your address is changed',
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
    wrongCode: 'This code is not right. Please check it.',
    endedCode: 'This code is not valid any more. Ask for another one.',
    blocked: 'This account is blocked. Please contact us.',
    noAccess: 'This account has no access.',
    domains: (domains: readonly string[]) => `Only addresses of ${domains.join(', ')} can be used.`,
    disposable: 'Addresses of disposable mail providers cannot be used. Please enter another one.',
    mail: 'The e-mail could not be sent. Please try again later.',
    full: 'No further accounts can be created at the moment. Please try again later.',
    changed: 'Something was changed in the meantime. Please try again.',
  },
  mail: {
    code: {
      subject: (code: string) => `${code} is your code`,
      says: (name: string) => `Your code for ${name}:`,
      resetSays: (name: string) => `Your code to choose a new password at ${name}:`,
      valid: 'It is valid for 10 minutes, in the browser in which you asked for it.',
    },
    exists: {
      subject: 'You already have an account',
      says: (name: string) =>
        `Somebody wanted to create an account at ${name} with this address, but there is one already. If that was you, this code signs you in, and the password stays as it is:`,
    },
    unknown: {
      subject: 'There is no account with this address',
      says: (name: string) =>
        `Somebody wanted to sign in to ${name} with this address, but there is no account with it. If that was you, perhaps you used another address.`,
      registerSays: (name: string) =>
        `Somebody wanted to create an account at ${name} with this address, but new accounts need an invitation. If that was you, please contact ${name}.`,
    },
    blocked: {
      subject: 'Your account is blocked',
      says: (name: string) =>
        `Somebody wanted to sign in to ${name} with this address, but its account is blocked. If that was you, please contact ${name}.`,
      registerSays: (name: string) =>
        `Somebody wanted to create an account at ${name} with this address, but there is one already, which is blocked. If that was you, please contact ${name}.`,
    },
    address: {
      subject: 'Confirm your new address',
      says: (name: string) => `Somebody wants to use this address for their account at ${name}.`,
      open: 'If that was you, open this link within an hour, in a browser in which you are signed in:',
    },
    taken: {
      subject: 'You already have an account',
      says: (name: string) =>
        `Somebody wanted to use this address for their account at ${name}, but there is one with it already. If that was you, sign in with this address instead.`,
    },
    changed: {
      subject: 'Your password was changed',
      says: (name: string) =>
        `The password of your account at ${name} was changed, and all your other sign-ins have ended.`,
      alarm:
        'If that was not you, choose a new password immediately: follow "Forgot your password?" where you sign in.',
    },
    moved: {
      subject: 'The address of your account was changed',
      says: (name: string, to: string) => `Your account at ${name} now has the address ${to} instead of this one.`,
      alarm: (name: string) => `If that was not you, contact ${name} at once.`,
    },
    ignore: 'If that was not you, you can ignore this e-mail.',
  },
}

export type Texts = typeof english
