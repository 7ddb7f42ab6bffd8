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
    says: (email: string) => `We sent an e-mail to ${email}. If it has a code, enter it here within 10 minutes.`,
    button: 'Continue',
    again: 'Send another code',
  },
  problem: {
    again: 'please try again',
    unreadable: 'The form could not be read. Please try again.',
    address: 'Please enter an e-mail address.',
    wrongPassword: 'The e-mail address or the password is wrong.',
    tooManyPasswords: (wait: number) => `Too many wrong passwords. Wait ${minutes(wait)}, then try again.`,
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
      valid: 'It is valid for 10 minutes, in the browser in which you asked for it.',
    },
    exists: {
      subject: 'You already have an account',
      says: (name: string) =>
        `Somebody wanted to create an account at ${name} with this address, but there is one already. If that was you, this code signs you in:`,
    },
    unknown: {
      subject: 'There is no account with this address',
      says: (name: string) =>
        `Somebody wanted to sign in to ${name} with this address, but there is no account with it. If that was you, perhaps you used another address.`,
    },
    blocked: {
      subject: 'Your account is blocked',
      says: (name: string) =>
        `Somebody wanted to sign in to ${name} with this address, but its account is blocked. If that was you, please contact ${name}.`,
    },
    ignore: 'If that was not you, you can ignore this e-mail.',
  },
}

export type Texts = typeof english
