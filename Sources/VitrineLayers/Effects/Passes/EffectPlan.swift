import VitrineGPU
import VitrineMath
import VitrineScene

/// The passes of a list of effects. A pass starts with an effect and includes the following colour effects of the same library, which then need no
/// separate pass.
struct EffectPlan {
    struct Pass {
        fileprivate(set) var key: EffectProgramKey
        /// Whether the pass samples its source, which must then be in the working space; a pass that reads one pixel converts it.
        fileprivate var samplesSource: Bool { key.calls.contains { $0.kind != .color } }
        fileprivate(set) var arguments: [Shader.Argument.Value]
        /// The margin in points by which the result grows on each side.
        let margin: Vector2

        var images: [Image] {
            arguments.compactMap { if case .image(let shown) = $0 { shown.image } else { nil } }
        }
    }

    private(set) var passes: [Pass] = []

    private static let noFunctions: ShaderCode = {
        do throws(ShaderError) { return try ShaderCode("", file: "Vitrine/working-space.wgsl", line: 0) } catch {
            preconditionFailure("an empty library was rejected")
        }
    }()

    /// The largest number of effects in a pass, because long shaders compile slowly and uniforms are limited to 4,096 vectors.
    static let callLimit = 8

    /// Divides a chain of effects into passes.
    ///
    /// - Parameter imageLimit: The largest number of images of a pass.
    /// - Throws: `ShaderError` if a function does not exist, has the wrong kind, or takes other arguments.
    init(_ effects: [ShaderEffect], imageLimit: Int) throws(ShaderError) {
        for effect in effects where effect.isEnabled {
            let call = try EffectCall(effect)
            guard call.imageCount <= imageLimit else {
                throw call.error(.tooManyImages(function: call.signature.name, count: call.imageCount, limit: imageLimit))
            }
            let code = effect.shader.function.library.code
            let (space, last) = (effect.space, passes.count - 1)
            if effect.kind == .color, last >= 0, passes[last].key.library == code, passes[last].key.space == space,
                passes[last].key.calls.count < Self.callLimit,
                passes[last].key.imageCount + call.imageCount <= imageLimit
            {
                passes[last].key.calls.append(call.key)
                passes[last].arguments += call.values
            } else {
                let key = EffectProgramKey(library: code, calls: [call.key], space: space, source: space, target: space)
                passes.append(Pass(key: key, arguments: call.values, margin: try call.margin))
            }
        }
        chooseSpaces()
    }

    /// Chooses the encodings of surfaces: linear before the first pass and after the last; between two passes, the space of the second one.
    private mutating func chooseSpaces() {
        guard let first = passes.first else { return }
        if first.key.space != .linear {
            if first.samplesSource {
                let conversion = EffectProgramKey(
                    library: Self.noFunctions, calls: [], space: first.key.space, source: .linear, target: first.key.space)
                passes.insert(Pass(key: conversion, arguments: [], margin: .zero), at: 0)
            } else {
                passes[0].key.source = .linear
            }
        }
        for index in passes.indices { passes[index].key.target = index + 1 < passes.count ? passes[index + 1].key.space : .linear }
    }
}

/// An effect with its resolved function and checked arguments.
struct EffectCall {
    let effect: ShaderEffect
    let signature: ShaderSignature

    init(_ effect: ShaderEffect) throws(ShaderError) {
        let shader = effect.shader
        let code = shader.function.library.code
        (self.effect, signature) = (effect, try code.signature(of: shader.function.name))
        guard signature.fits(effect.kind) else {
            throw error(
                .wrongKind(
                    function: signature.name, expected: "\(effect.kind.name) \(effect.kind.signature)", actual: signature.description))
        }
        try checkArguments()
    }

    var key: EffectProgramKey.Call {
        EffectProgramKey.Call(kind: effect.kind, name: signature.name, slots: values.map { $0.slot })
    }
    var values: [Shader.Argument.Value] { effect.shader.arguments.map { $0.value } }
    var imageCount: Int { values.count { $0.slot == .image } }

    /// Returns an error at the declaration of the function.
    func error(_ reason: ShaderError.Reason) -> ShaderError { effect.shader.function.library.code.error(signature, reason) }

    private func checkArguments() throws(ShaderError) {
        let arguments = effect.shader.arguments
        let parameters = signature.arguments(of: effect.kind)
        for parameter in parameters where parameter.slot == nil {
            throw error(.parameterType(function: signature.name, parameter: parameter.name, type: parameter.type))
        }
        guard arguments.count == parameters.count else {
            let expected = parameters.map { "\($0.name): \($0.type)" }
            throw error(.argumentCount(function: signature.name, expected: expected, actual: arguments.count))
        }
        for (index, (argument, parameter)) in zip(arguments, parameters).enumerated() {
            if let slot = parameter.slot, slot != argument.value.slot {
                throw error(
                    .argumentType(
                        function: signature.name, index: index + 1, parameter: parameter.name, expected: slot.arguments,
                        actual: argument.value.name))
            }
            guard argument.value.isFinite else {
                throw error(.notFinite(function: signature.name, index: index + 1, parameter: parameter.name))
            }
        }
    }

    /// The margin of the effect; colour effects have none.
    var margin: Vector2 {
        get throws(ShaderError) {
            guard effect.kind != .color else { return .zero }
            let offset = effect.maxSampleOffset
            guard offset.isFinite, offset.min() >= 0 else {
                throw error(.sampleOffset(function: signature.name, problem: "must be two finite distances in points, not below 0"))
            }
            return offset
        }
    }
}
