import VitrineMath
import VitrineScene

extension MaterialLobe {
    /// An index of refraction other than 1.5, and a reflection that is weakened or tinted (KHR_materials_ior, KHR_materials_specular). `DielectricShader`
    /// has the formulas.
    static let specular = MaterialLobe(
        .specular, "SPECULAR",
        maps: [
            MaterialMap(.specularColor, "specularColor", .color) { $0.specular.color.map },
            MaterialMap(.specular, "specular", readsOnlyAlpha: { $0.specular.factor.channel == .alpha }, map: { $0.specular.factor.map }),
        ],
        uniforms: [
            Uniform("specular") { $0.specular.factor.channelFactors },
            Uniform("specularColor") { $0.specular.color.linear },
        ],
        shader: Shader(
            members: """
                specular: f32,
                specularColor: vec3f,
                """,
            reading: """
                (*s).specular = saturate(dot(specularTexel(t), material.specular));
                (*s).specularColor = material.specularColor.rgb * specularColorTexel(t).rgb;
                """)
    ) { m in
        let (factor, color) = (m.specular.factor, m.specular.color)
        return m.ior != 1.5 || factor.factor * factor.intensity != 1 || factor.map != nil || color.map != nil
            || color.factor.xyz * color.intensity != Vector3(repeating: 1) || m.functionSets("specular") || m.functionSets("specularColor")
            || m.functionSets("ior")
    }
}
