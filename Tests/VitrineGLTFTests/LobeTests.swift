import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

/// The material extensions beside clearcoat, and material variants.
@Suite struct LobeTests {
    private func builder(_ extensions: [String: Any], images: Int = 0) -> ModelBuilder {
        var builder = ModelBuilder.triangle()
        let uv = builder.add(floats: [0, 0, 1, 0, 0, 1], "VEC2")
        builder.setPrimitive(["material": 0, "attributes": ["POSITION": 0, "TEXCOORD_0": uv]])
        builder.json["materials"] = [["extensions": extensions]]
        builder.json["extensionsUsed"] = Array(extensions.keys)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        if images > 0 {
            builder.json["images"] = (0..<images).map { ["bufferView": builder.view(png + [UInt8($0)]), "mimeType": "image/png"] }
            builder.json["textures"] = (0..<images).map { ["source": $0] }
        }
        return builder
    }

    @Test func everyLobe() throws {
        let asset = try builder(
            [
                "KHR_materials_ior": ["ior": 1.3],
                "KHR_materials_specular": ["specularFactor": 0.5, "specularColorFactor": [2, 1, 0.5], "specularTexture": ["index": 0]],
                "KHR_materials_sheen": [
                    "sheenColorFactor": [0.1, 0.2, 0.3], "sheenRoughnessFactor": 0.4, "sheenRoughnessTexture": ["index": 0],
                ],
                "KHR_materials_transmission": ["transmissionFactor": 0.6, "transmissionTexture": ["index": 1]],
                "KHR_materials_volume": [
                    "thicknessFactor": 2, "thicknessTexture": ["index": 1], "attenuationDistance": 3, "attenuationColor": [1, 0.5, 0.25],
                ],
                "KHR_materials_dispersion": ["dispersion": 0.7],
                "KHR_materials_iridescence": [
                    "iridescenceFactor": 0.8, "iridescenceIor": 1.4, "iridescenceThicknessMinimum": 150,
                    "iridescenceThicknessMaximum": 600, "iridescenceThicknessTexture": ["index": 1],
                ],
                "KHR_materials_anisotropy": ["anisotropyStrength": 0.9, "anisotropyRotation": 1.5, "anisotropyTexture": ["index": 0]],
            ], images: 2
        ).read()
        #expect(asset.warnings == [])
        let m = asset.materials[0]
        #expect(m.ior == 1.3 && m.specular.factor.factor == 0.5 && m.specular.factor.channel == .alpha)
        #expect(m.specular.color.factor.xyz == Vector3(2, 1, 0.5))
        #expect(m.sheen.color.factor.xyz == Vector3(0.1, 0.2, 0.3) && m.sheen.roughness.factor == 0.4)
        #expect(m.sheen.roughness.map?.texture === m.specular.factor.map?.texture && m.sheen.roughness.channel == .alpha)
        #expect(m.transmission.factor.factor == 0.6 && m.transmission.factor.channel == .red && m.transmission.dispersion == 0.7)
        #expect(m.volume.thickness.factor == 2 && m.volume.thickness.channel == .green && m.volume.attenuationDistance == 3)
        #expect(m.volume.attenuationColor == Vector3(1, 0.5, 0.25))
        #expect(m.iridescence.factor.factor == 0.8 && m.iridescence.ior == 1.4 && m.iridescence.thickness == (150, 600))
        #expect(m.iridescence.thicknessMap != nil && m.anisotropy.map != nil)
        #expect(m.anisotropy.strength == 0.9 && abs(m.anisotropy.rotation.radians - 1.5) < 1e-6)
        #expect(m.textures.count == 2)
    }

    @Test func valuesOutsideAreMovedInside() throws {
        let asset = try builder([
            "KHR_materials_ior": ["ior": 0.5], "KHR_materials_volume": ["thicknessFactor": -1, "attenuationDistance": 0],
            "KHR_materials_sheen": ["sheenColorFactor": [2, 0, 0]],
        ]).read()
        #expect(asset.materials[0].ior == 1 && asset.materials[0].volume.thickness.factor == 0)
        #expect(asset.materials[0].volume.attenuationDistance == .infinity && asset.materials[0].sheen.color.factor.x == 1)
        #expect(asset.warnings.count == 4)
        // The special value of the extension.
        #expect(try builder(["KHR_materials_ior": ["ior": 0]]).read().materials[0].ior == 0)
        #expect(
            try builder(["KHR_materials_sheen": ["sheenColorFactor": [1, 0]]]).refusal().location
                == .property("/materials/0/extensions/KHR_materials_sheen/sheenColorFactor"))
    }

    @Test func specularGlossinessIsConverted() throws {
        let m = try builder([
            "KHR_materials_pbrSpecularGlossiness": [
                "diffuseFactor": [0.5, 0.25, 0, 1], "specularFactor": [0.04, 0.04, 0.04], "glossinessFactor": 0.75,
            ]
        ]).read().materials[0]
        #expect(m.metalness.factor == 0 && m.roughness.factor == 0.25 && m.baseColor.factor == Vector4(0.5, 0.25, 0, 1))
        // An index of 0 reflects all light: the colour alone is the reflectance.
        #expect(m.ior == 0 && m.specular.color.factor.x == 0.04)
    }

    // MARK: Variants

    private func shoe(_ mappings: [[String: Any]]) -> ModelBuilder {
        var builder = ModelBuilder.triangle(["material": 0, "extensions": ["KHR_materials_variants": ["mappings": mappings]]])
        builder.json["materials"] = [["name": "plain"], ["name": "red"], ["name": "blue"]]
        builder.json["extensionsUsed"] = ["KHR_materials_variants"]
        builder.json["extensions"] = ["KHR_materials_variants": ["variants": [["name": "Beach"], ["name": "Street"], ["name": "Bare"]]]]
        return builder
    }

    @Test func variantsChangeMaterialsAndRoundTrip() throws {
        let asset = try shoe([["material": 1, "variants": [0]], ["material": 2, "variants": [1]]]).read()
        let scene = asset.scene
        #expect(asset.warnings == [] && scene.variantNames == ["Beach", "Street", "Bare"] && scene.variant == nil)
        let node = scene.rootNode.childNodes[0]
        #expect(node.material?.name == "plain")
        try scene.choose(variant: "Beach")
        #expect(node.material?.name == "red" && scene.variant == "Beach")
        try scene.choose(variant: "Street")
        #expect(node.material?.name == "blue")
        try scene.choose(variant: "Bare")
        #expect(node.material?.name == "plain")
        try scene.choose(variant: "Beach")
        try scene.choose(variant: nil)
        #expect(node.material?.name == "plain" && scene.variant == nil)
        let error = #expect(throws: UnknownVariant.self) { try scene.choose(variant: "Beech") }
        #expect(error?.description == "there is no material variant 'Beech': the scene has 'Beach', 'Street', 'Bare'")
    }

    @Test func brokenVariantsAreRefusedOrNamed() throws {
        #expect(try shoe([["material": 9, "variants": [0]]]).refusal().description.contains("mappings/0/material"))
        #expect(try shoe([["material": 1, "variants": [7]]]).refusal().description.contains("mappings/0/variants/0"))
        let twice = try shoe([["material": 1, "variants": [0]], ["material": 2, "variants": [0]]]).read()
        #expect(twice.warnings.count == 1)
    }

    @Test func irradianceVolumesAreChecked() throws {
        func builder(_ change: (inout [String: Any]) -> Void) -> ModelBuilder {
            var builder = ModelBuilder.triangle()
            let coefficients = builder.add(floats: [Float](repeating: 0.5, count: 36), "VEC4")
            var volume: [String: Any] = ["min": [0, 0, 0], "max": [1, 2, 3], "counts": [1, 1, 1], "coefficients": coefficients]
            change(&volume)
            builder.json["scenes"] = [["nodes": [0], "extensions": ["VITRINE_irradiance_volume": volume]]]
            builder.json["extensionsUsed"] = ["VITRINE_irradiance_volume"]
            return builder
        }
        let asset = try builder { _ in }.read()
        #expect(asset.warnings == [] && asset.scene.irradianceVolume?.probeCount == 1)
        let refusals: [(String, (inout [String: Any]) -> Void)] = [
            ("has 9 elements instead of 18", { $0["counts"] = [2, 1, 1] }), ("three numbers", { $0["counts"] = [1, 1] }),
            ("counts", { $0["counts"] = [65, 1, 1] }), ("counts", { $0["counts"] = [0, 1, 1] }),
            ("must be greater than min", { $0["max"] = [1, 0, 1] }), ("must have min and max", { $0["min"] = nil }),
            ("not an accessor of VEC4", { $0["coefficients"] = 0 }), ("index 9", { $0["coefficients"] = 9 }),
        ]
        for (message, change) in refusals {
            let refusal = try builder(change).refusal()
            #expect("\(refusal)".contains(message), "\(refusal)")
        }
    }
}
