//! Words of container tools that only name something, against rules about programs of the same name.

use super::guises::all;

#[test]
fn a_word_that_names_a_container_or_an_image_is_no_program() {
    all(
        "shell(git push *)",
        &[
            ("allow", "docker run --name git-push image"),
            ("allow", "docker run --name=git-push image"),
            ("deny", "docker run image git-push"),
            ("deny", "docker run --name git-push image git push"),
            ("deny", "docker run --name a image git-push"),
            // It may be more than a name.
            ("ask", "docker run --name $X push origin"),
        ],
    );
    all(
        "shell(node *)",
        &[
            ("allow", "docker logs node"),
            ("allow", "docker logs -f node"),
            ("allow", "sudo docker logs node"),
            ("allow", "timeout 5 docker logs node"),
            ("allow", "docker pull node"),
            ("allow", "podman stop node"),
            ("allow", "docker run -d --rm --name node image"),
            ("deny", "docker run image node a.js"),
            ("deny", "docker run --entrypoint node image"),
            ("deny", "docker exec node node a.js"),
            ("deny", "docker logs x; node a.js"),
            // It is not known whether `-x` has a value.
            ("deny", "docker run -x --name node image"),
            ("deny", "docker run image wrap --name node"),
        ],
    );
}
