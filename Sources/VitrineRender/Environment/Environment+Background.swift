import VitrineMath
import VitrineScene

extension Environment {
    /// Throws `RenderError.invalidOption` for values out of range.
    package func validate() throws(RenderError) {
        guard backgroundBlur >= 0, backgroundBlur <= 1 else {
            throw .invalidOption(name: "environment.backgroundBlur", reason: "must lie in 0…1")
        }
        guard let ground else { return }
        guard ground.cameraHeight > 0, ground.radius > ground.cameraHeight, ground.radius.isFinite, ground.center.isFinite else {
            throw .invalidOption(name: "environment.ground", reason: "needs a radius above the camera's height above 0, in metres")
        }
    }
}

extension EnvironmentLight {
    func uniforms(of environment: Environment) -> EnvironmentUniforms {
        var uniforms = map.uniforms(rotation: environment.rotation, intensity: environment.intensity, sky: sky)
        let blur = (sky ?? map).skyBlur(environment.backgroundBlur)
        uniforms.sky = Vector4(blur.level, blur.spread, environment.ground?.radius ?? 0, 0)
        if let ground = environment.ground { uniforms.ground = Vector4(ground.center, ground.cameraHeight) }
        return uniforms
    }
}
