# The formula of a Homebrew tap. `packaging/formula.sh` puts in the addresses and sums of a release.
class Countersign < Formula
  desc "Terminal AI agent that keeps its books: it proposes, you countersign"
  homepage "@HOMEPAGE@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "@HOMEPAGE@/releases/download/v@VERSION@/countersign-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256_aarch64-apple-darwin@"
    end
    on_intel do
      url "@HOMEPAGE@/releases/download/v@VERSION@/countersign-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256_x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@HOMEPAGE@/releases/download/v@VERSION@/countersign-@VERSION@-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@HOMEPAGE@/releases/download/v@VERSION@/countersign-@VERSION@-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256_x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "countersign"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/countersign.bash" => "countersign"
    zsh_completion.install "completions/_countersign"
    fish_completion.install "completions/countersign.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/countersign --version")
    (testpath/"notes.txt").write "a line of the test\n"
    assert_match "a line of the test", shell_output("#{bin}/countersign exec -m rehearsal 'read notes.txt'")
  end
end
