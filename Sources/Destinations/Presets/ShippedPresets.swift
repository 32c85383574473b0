/// The presets that Ferry ships with, built into the program byte for byte.
///
/// The build makes one constant of each file in `Named`; a test holds this list against the folder.
package enum ShippedPresets {
  private static let all: [(name: String, bytes: [UInt8])] = [
    ("appwrite", PackageResources.appwrite_yaml),
    ("cloudkit", PackageResources.cloudkit_yaml),
    ("couchdb", PackageResources.couchdb_yaml),
    ("datasette", PackageResources.datasette_yaml),
    ("directus", PackageResources.directus_yaml),
    ("django-rest-framework", PackageResources.django_rest_framework_yaml),
    ("dynamodb", PackageResources.dynamodb_yaml),
    ("firestore", PackageResources.firestore_yaml),
    ("folder", PackageResources.folder_yaml),
    ("hasura", PackageResources.hasura_yaml),
    ("json-api", PackageResources.json_api_yaml),
    ("kinto", PackageResources.kinto_yaml),
    ("laravel", PackageResources.laravel_yaml),
    ("odata", PackageResources.odata_yaml),
    ("parse", PackageResources.parse_yaml),
    ("pocketbase", PackageResources.pocketbase_yaml),
    ("postgresql", PackageResources.postgresql_yaml),
    ("rails", PackageResources.rails_yaml),
    ("strapi", PackageResources.strapi_yaml),
    ("supabase", PackageResources.supabase_yaml),
  ]

  /// The names, in order.
  package static var names: [String] { all.map(\.name) }

  /// The YAML of the preset called `name`, or `nil` when none is.
  package static func text(named name: String) -> String? {
    all.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
