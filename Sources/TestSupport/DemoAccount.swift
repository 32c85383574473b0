/// The account that the development backend has from the start, and how a run signs in to it.
package enum DemoAccount {
  package static let email = "demo@example.com"

  /// The flags that name the credentials; what they are is in ``environment``.
  package static let flags = [
    "--credential", "email=env:FERRY_TEST_EMAIL", "--credential",
    "password=env:FERRY_TEST_PASSWORD",
  ]

  package static let environment = [
    "FERRY_TEST_EMAIL": email, "FERRY_TEST_PASSWORD": "correct-horse",
  ]
}
