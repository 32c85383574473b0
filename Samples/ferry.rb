# A formula for a tap of your own. A release has it with the url and the sha256 of its sources:
#
#   brew install --build-from-source ./ferry.rb
class Ferry < Formula
  desc "Move an app's local store to the app's backend, and back"
  homepage "https://example.com/ferry"
  url "https://example.com/ferry/archive/0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://example.com/ferry.git", branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.4", :build]
  depends_on macos: :sequoia
  depends_on "pcre2"
  depends_on "sqlite"

  uses_from_macos "swift" => :build
  uses_from_macos "libxml2"
  uses_from_macos "zlib"

  def install
    ENV["FERRY_COMMIT"] = build.head? ? Utils.git_short_head(length: 12) : ""
    args = %w[--disable-sandbox --configuration release]
    args << "--force-resolved-versions" if File.exist?("Package.resolved")
    args << "--static-swift-stdlib" unless OS.mac?
    %w[ferry ferry-backend].each do |program|
      system "swift", "build", *args, "--product", program
      bin.install ".build/release/#{program}"
    end
    generate_completions_from_executable(bin/"ferry", "--generate-completion-script")
    system "sh", ".ci/manual.sh", bin, ".build", man1
  end

  def caveats
    "Profiles with kind: postgresql need libpq: brew install libpq"
  end

  test do
    expected = version.head? ? version.commit : version.to_s
    assert_match expected, shell_output("#{bin}/ferry --version")
    system "sqlite3", "notes.sqlite", "CREATE TABLE Note (id TEXT PRIMARY KEY, title TEXT)"
    assert_match "Note", shell_output("#{bin}/ferry inspect notes.sqlite")
  end
end
