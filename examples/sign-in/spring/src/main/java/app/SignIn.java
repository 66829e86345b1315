/*
 * A web app with Spring Boot in which people sign in, with Spring Security.
 *
 *   npx assent client create --name "Photo Club" --type confidential --scope "openid profile email" \
 *     --redirect-uri http://127.0.0.1:4000/login/oauth2/code/assent
 *   mvn --quiet --file examples/sign-in/spring package
 *   CLIENT_ID=… CLIENT_SECRET=… java -jar examples/sign-in/spring/target/sign-in-1.jar --server.port=4000
 *
 * Open http://127.0.0.1:4000.
 */
package app;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
@RestController
public class SignIn {
    public static void main(String[] args) {
        SpringApplication.run(SignIn.class, args);
    }

    @GetMapping("/")
    Map<String, Object> person(@AuthenticationPrincipal OidcUser person) {
        return person.getClaims();
    }
}
