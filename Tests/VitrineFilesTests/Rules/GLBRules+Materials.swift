/// Images, samplers, materials, cameras and lights.
extension GLBRules {
    mutating func checkImages() {
        for (index, image) in root["images"].elements.enumerated() {
            let location = "images/\(index)"
            expect(image["bufferView"].isThere != image["uri"].isThere, "\(location): not one of a view and a name")
            guard let view = reference(image["bufferView"], "bufferViews", location) else { continue }
            viewUses[view, default: []].insert(.data)
            let start = views[view]["byteOffset"].integer ?? 0
            let bytes = binary.dropFirst(start).prefix(views[view]["byteLength"].integer ?? 0)
            let signatures: [String: [UInt8]] = [
                "image/png": [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "image/jpeg": [0xFF, 0xD8, 0xFF],
            ]
            let signature = signatures[image["mimeType"].text ?? ""]
            expect(signature.map { bytes.starts(with: $0) } == true, "\(location): its mimeType does not match its bytes")
        }
        var (samplers, images): (Set<Int>, Set<Int>) = ([], [])
        for (index, texture) in root["textures"].elements.enumerated() {
            if let sampler = reference(texture["sampler"], "samplers", "textures/\(index)") { samplers.insert(sampler) }
            if let image = reference(texture["source"], "images", "textures/\(index)") { images.insert(image) }
            expect(texture["source"].isThere, "textures/\(index): without an image")
        }
        expect(samplers.count == root["samplers"].elements.count, "samplers: one that nothing uses")
        expect(images.count == root["images"].elements.count, "images: one that nothing uses")
        for (index, sampler) in root["samplers"].elements.enumerated() {
            let known: [(String, Set<Int>)] = [
                ("magFilter", [9728, 9729]), ("minFilter", [9728, 9729, 9984, 9985, 9986, 9987]), ("wrapS", [33071, 33648, 10497]),
                ("wrapT", [33071, 33648, 10497]),
            ]
            for (name, values) in known where sampler[name].isThere {
                expect(values.contains(sampler[name].integer ?? 0), "samplers/\(index): an invalid \(name)")
            }
        }
    }

    mutating func checkMaterials() {
        var used: Set<Int> = []
        for (index, material) in materials.enumerated() {
            let location = "materials/\(index)"
            var found: [(String, String, JSONNode)] = []
            material.visit { found.append(($0, $1, $2)) }
            for (path, key, value) in found {
                if key.hasSuffix("Texture") {
                    expect(value["index"].isThere, "\(location)\(path): without an index")
                    if let texture = reference(value["index"], "textures", location + path) { used.insert(texture) }
                } else if key.hasSuffix("Factor") {
                    checkFactor(key, value, location + path)
                }
            }
            let mode = material["alphaMode"].text ?? "OPAQUE"
            expect(["OPAQUE", "MASK", "BLEND"].contains(mode), "\(location): an invalid alphaMode")
            expect(mode == "MASK" || !material["alphaCutoff"].isThere, "\(location): an alphaCutoff without MASK")
            checkLobes(material["extensions"], location)
        }
        expect(used.count == root["textures"].elements.count, "textures: one that nothing uses")
    }

    /// Factors lie in 0…1, but those of lengths and of dielectric colour.
    private mutating func checkFactor(_ name: String, _ value: JSONNode, _ location: String) {
        let numbers = value.elements.isEmpty ? [value.number ?? -1] : value.elements.map { $0.number ?? -1 }
        let isOpen = name == "thicknessFactor" || name == "specularColorFactor"
        expect(numbers.allSatisfy { $0 >= 0 && (isOpen || $0 <= 1) }, "\(location): \(numbers)")
        if name == "baseColorFactor" || name.hasSuffix("ColorFactor") || name == "emissiveFactor" {
            expect(numbers.count == (name == "baseColorFactor" ? 4 : 3), "\(location): \(numbers.count) numbers")
        }
    }

    private mutating func checkLobes(_ extensions: JSONNode, _ location: String) {
        func least(_ name: String, _ key: String, _ least: Double, orZero: Bool = false) -> Bool {
            guard let number = extensions[name][key].number else { return true }
            return number >= least || orZero && number == 0
        }
        expect(least("KHR_materials_ior", "ior", 1, orZero: true), "\(location): an index of refraction below 1")
        expect(least("KHR_materials_iridescence", "iridescenceIor", 1), "\(location): a film's index of refraction below 1")
        expect(least("KHR_materials_dispersion", "dispersion", 0), "\(location): a dispersion below 0")
        expect(least("KHR_materials_emissive_strength", "emissiveStrength", 0), "\(location): an emissiveStrength below 0")
        expect(least("KHR_materials_volume", "attenuationDistance", .leastNonzeroMagnitude), "\(location): an attenuationDistance of 0")
        let strength = extensions["KHR_materials_anisotropy"]["anisotropyStrength"].number ?? 0
        expect((0...1).contains(strength), "\(location): an anisotropyStrength of \(strength)")
        expect(!extensions["KHR_materials_unlit"].isThere || extensions.members.count == 1, "\(location): unlit, with lobes")
    }

    mutating func checkCamerasAndLights() {
        for (index, camera) in root["cameras"].elements.enumerated() {
            let type = camera["type"].text ?? ""
            let own = camera[type]
            func isAbove(_ name: String, _ least: Double, isNeeded: Bool = true) -> Bool {
                own[name].number.map { $0 > least } ?? !isNeeded
            }
            let near = own["znear"].number ?? -1
            let isSound: Bool =
                switch type {
                case "perspective":
                    isAbove("yfov", 0) && near > 0 && isAbove("zfar", near, isNeeded: false) && isAbove("aspectRatio", 0, isNeeded: false)
                case "orthographic": near >= 0 && isAbove("zfar", near) && isAbove("xmag", 0) && isAbove("ymag", 0)
                default: false
                }
            expect(isSound, "cameras/\(index): numbers that are not a camera")
        }
        for (index, light) in root["extensions"]["KHR_lights_punctual"]["lights"].elements.enumerated() {
            let location = "lights/\(index)"
            let type = light["type"].text ?? ""
            expect(["directional", "point", "spot"].contains(type), "\(location): an invalid type")
            expect(light["spot"].isThere == (type == "spot"), "\(location): a cone without a spot, or a spot without a cone")
            expect(
                (light["intensity"].number ?? 1) >= 0 && (light["range"].number ?? 1) > 0, "\(location): an invalid intensity or range")
            let color = light["color"].elements.compactMap(\.number)
            expect(color.allSatisfy { (0...1).contains($0) }, "\(location): a colour outside 0…1")
            let (inner, outer) = (light["spot"]["innerConeAngle"].number ?? 0, light["spot"]["outerConeAngle"].number ?? .pi / 4)
            expect(inner >= 0 && inner < outer && outer <= .pi / 2 + 1e-6, "\(location): an invalid cone")
        }
    }
}
