import Testing
import VitrineGLTF
import VitrineMath
import VitrineScene

struct SkinAndAnimationTests {
    /// A triangle on node 0, bound to the joints 1 and 2.
    private func skinned(joint: UInt8 = 1, skin: [String: Any] = [:]) -> ModelBuilder {
        var builder = ModelBuilder.triangle()
        let joints = builder.add(bytes: (0..<3).flatMap { _ in [0, joint, 0, 0] as [UInt8] }, 5121, "VEC4", count: 3)
        let weights = builder.add(floats: (0..<3).flatMap { _ in [0.5, 0.5, 0, 0] as [Float] }, "VEC4")
        builder.setPrimitive(["attributes": ["POSITION": 0, "JOINTS_0": joints, "WEIGHTS_0": weights]])
        builder.json["nodes"] = [["mesh": 0, "skin": 0], ["children": [2], "name": "hip"], ["name": "knee", "translation": [0, 1, 0]]]
        builder.json["scenes"] = [["nodes": [0, 1]]]
        builder.json["skins"] = [["joints": [1, 2], "name": "leg"].merging(skin) { $1 }]
        return builder
    }

    @Test func skin() throws {
        var builder = skinned()
        var matrices = [Float](repeating: 0, count: 32)
        for index in 0..<2 { for diagonal in 0..<4 { matrices[index * 16 + diagonal * 5] = 1 } }
        matrices[16 + 13] = -1
        let inverse = builder.add(floats: matrices, "MAT4")
        builder.json["skins"] = [["joints": [1, 2], "inverseBindMatrices": inverse, "skeleton": 1]]
        let scene = try builder.read().scene
        let skin = try #require(scene.rootNode.childNodes[0].skin)
        #expect(skin.joints.map { $0?.name } == ["hip", "knee"])
        #expect(skin.inverseBindMatrices[1] == Matrix4(translation: Vector3(0, -1, 0)))
        scene.update()
        // In the pose of binding every joint leaves the mesh where it is.
        #expect(skin.jointMatrices().allSatisfy { $0.isClose(to: .identity) })
    }

    @Test func missingMatricesAreTheIdentity() throws {
        let skin = try #require(try skinned().read().scene.rootNode.childNodes[0].skin)
        #expect(skin.inverseBindMatrices == [.identity, .identity] && skin.name == "leg")
    }

    @Test func brokenSkinsAreRefused() throws {
        #expect(try skinned(joint: 2).refusal().description.contains("refers to joint 2, but the skin has 2"))
        #expect(try skinned(skin: ["joints": []]).refusal().location == .property("/skins/0/joints"))
        #expect(try skinned(skin: ["joints": [1, 9]]).refusal().location == .property("/skins/0/joints/1"))
        var builder = skinned()
        let short = builder.add(floats: [Float](repeating: 0, count: 16), "MAT4")
        builder.json["skins"] = [["joints": [1, 2], "inverseBindMatrices": short]]
        #expect(try builder.refusal().description.contains("1 matrices for 2 joints"))
    }

    @Test func oddSkinsAreReported() throws {
        #expect(try skinned(skin: ["skeleton": 2]).read().warns("/skins/0", "skeleton is not an ancestor of all joints"))
        #expect(try skinned(skin: ["joints": [0, 1]]).read().warns("/skins/0", "no common root"))
        var outside = skinned()
        outside.json["scenes"] = [["nodes": [0]]]
        let asset = try outside.read()
        #expect(asset.warns("/nodes/0", "outside the scene") && asset.scene.rootNode.childNodes[0].skin == nil)
    }

    // MARK: Animations

    /// One channel on a node.
    private func animated(
        _ path: String, times: [Float] = [0, 1, 3], output: [Float], type: String, interpolation: String? = nil
    ) -> ModelBuilder {
        var builder = ModelBuilder(["scenes": [["nodes": [0]]], "nodes": [[:]]])
        let (input, values) = (builder.add(floats: times, "SCALAR"), builder.add(floats: output, type))
        var sampler: [String: Any] = ["input": input, "output": values]
        sampler["interpolation"] = interpolation
        builder.json["animations"] = [
            ["name": "clip", "samplers": [sampler], "channels": [["sampler": 0, "target": ["node": 0, "path": path]]]]
        ]
        return builder
    }

    @Test func interpolations() throws {
        let values: [Float] = [0, 0, 0, 2, 0, 0, 2, 4, 0]
        for (name, kind) in [(nil, Interpolation.linear), ("LINEAR", .linear), ("STEP", .step)] as [(String?, Interpolation)] {
            let scene = try animated("translation", output: values, type: "VEC3", interpolation: name).read().scene
            let clip = try #require(scene.animation(named: "clip"))
            #expect(clip.duration == 3 && clip.tracks[0].interpolation == kind && clip.tracks[0].node === scene.rootNode.childNodes[0])
            clip.apply(at: 2)
            #expect(scene.rootNode.childNodes[0].position == (kind == .step ? Vector3(2, 0, 0) : Vector3(2, 2, 0)))
        }
        // Key: in-tangent, value, out-tangent.
        let cubic: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0]
        let scene = try animated("scale", times: [0, 2], output: cubic, type: "VEC3", interpolation: "CUBICSPLINE").read().scene
        scene.animations[0].apply(at: 1)
        #expect(scene.rootNode.childNodes[0].scale == Vector3(4, 0, 0))
    }

    @Test func rotationsFromNormalizedShorts() throws {
        var builder = ModelBuilder(["scenes": [["nodes": [0]]], "nodes": [[:]]])
        let input = builder.add(floats: [0, 1], "SCALAR")
        let half = Int16((0.70710678 * 32767).rounded())
        let shorts: [Int16] = [0, 0, 0, 32767, 0, 0, half, half]
        let output = builder.add(bytes: shorts.flatMap { ModelBuilder.bytes($0) }, 5122, "VEC4", count: 2, extra: ["normalized": true])
        builder.json["animations"] = [
            ["samplers": [["input": input, "output": output]], "channels": [["sampler": 0, "target": ["node": 0, "path": "rotation"]]]]
        ]
        let scene = try builder.read().scene
        scene.animations[0].apply(at: 0.5)
        let turned = scene.rootNode.childNodes[0].orientation.rotate(Vector3(1, 0, 0))
        #expect(length(turned - Vector3(0.70710678, 0.70710678, 0)) < 1e-3)
    }

    @Test func weights() throws {
        var builder = ModelBuilder.triangle()
        let move = builder.add(floats: [0, 0, 0, 0, 0, 1, 0, 0, 0], "VEC3", bounds: true)
        builder.setPrimitive(["attributes": ["POSITION": 0], "targets": [["POSITION": move], ["POSITION": move]]])
        let (input, output) = (builder.add(floats: [0, 1], "SCALAR"), builder.add(floats: [0, 1, 1, 0], "SCALAR"))
        let channel: [String: Any] = ["sampler": 0, "target": ["node": 0, "path": "weights"]]
        builder.json["animations"] = [["samplers": [["input": input, "output": output]], "channels": [channel]]]
        let scene = try builder.read().scene
        scene.animations[0].apply(at: 0.25)
        #expect(scene.rootNode.childNodes[0].morphWeights == [0.25, 0.75])
    }

    @Test func keysWithDecreasingTimesAreOmitted() throws {
        let back = animated("translation", times: [0, 2, 1, 3], output: [0, 0, 0, 2, 0, 0, 9, 9, 9, 3, 0, 0], type: "VEC3")
        let asset = try back.read()
        #expect(asset.warns("/animations/0/samplers/0/input", "1 of 4 times are not later than the previous one"))
        let scene = asset.scene
        for (time, x) in [(1, 1), (2, 2), (2.5, 2.5), (3, 3)] as [(Float, Float)] {
            scene.animations[0].apply(at: time)
            #expect(scene.rootNode.childNodes[0].position == Vector3(x, 0, 0))
        }
        let still = animated("translation", times: [0, 0, 0], output: [1, 2, 3, 0, 0, 0, 0, 0, 0], type: "VEC3")
        let stopped = try still.read().scene
        stopped.animations.first?.apply(at: 0)
        #expect(stopped.rootNode.childNodes[0].position == Vector3(1, 2, 3))
    }

    @Test func samplersThatBreakRulesAreReported() throws {
        let asset = try animated(
            "translation", times: [0], output: Array(repeating: 0, count: 9), type: "VEC3", interpolation: "CUBICSPLINE"
        )
        .read()
        #expect(asset.warns("/animations/0/samplers/0", "CUBICSPLINE needs at least 2 keys, but has 1"))
        #expect(asset.warnings.contains { $0.message.contains("the times of an animation must have min and max") })
    }

    @Test func brokenAnimationsAreRefused() throws {
        let three: [Float] = [0, 0, 0, 0, 0, 0, 0, 0, 0]
        let few = animated("translation", output: [0, 0, 0], type: "VEC3")
        #expect(try few.refusal().description.contains("/animations/0/channels/0/sampler: has 3 values for 3 keys of 3"))
        let cubic = animated("translation", output: three, type: "VEC3", interpolation: "CUBICSPLINE")
        #expect(try cubic.refusal().description.contains("9 values for 3 keys of 9"))
        #expect(try animated("weights", output: [0, 0, 0], type: "SCALAR").refusal().description.contains("no morph targets"))
        let name = animated("translation", output: three, type: "VEC3", interpolation: "BEZIER")
        #expect(try name.refusal().location == .property("/animations/0/samplers/0/interpolation"))
    }

    @Test func channelsThatMoveNothingHereAreReported() throws {
        var builder = animated("translation", output: [0, 0, 0, 0, 0, 0, 0, 0, 0], type: "VEC3")
        builder.json["animations"] = [
            [
                "samplers": [["input": 0, "output": 1]],
                "channels": [
                    ["sampler": 0, "target": ["path": "translation"]], ["sampler": 0, "target": ["node": 0, "path": "pointer"]],
                ],
            ]
        ]
        let asset = try builder.read()
        #expect(asset.warns("/animations/0/channels/0/target", "has no node"))
        #expect(asset.warns("/animations/0/channels/1/target", "pointer is not supported"))
        #expect(asset.scene.animations.isEmpty)
    }
}
