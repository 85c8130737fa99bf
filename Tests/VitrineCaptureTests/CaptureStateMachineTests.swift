import Testing

@testable import VitrineCapture

/// Every call in every state, paused and not.
@Suite struct CaptureStateMachineTests {
    typealias Machine = CaptureStateMachine
    typealias Call = ObjectCaptureSession.Call

    /// The states by name, with a machine in it.
    private static func states() throws -> [(name: String, machine: Machine)] {
        func machine(_ calls: [Call], frames: Bool = true) throws -> Machine {
            var machine = Machine()
            for call in calls {
                try machine.perform(call, .init(hasBox: true, canRequestImageCapture: true))
                if frames { machine.receiveFrame() }
            }
            return machine
        }
        var completed = try machine([.start, .startDetecting, .startCapturing, .finish])
        completed.complete()
        return [
            ("new", Machine()), ("initializing", try machine([.start], frames: false)), ("ready", try machine([.start])),
            ("detecting", try machine([.start, .startDetecting])), ("capturing", try machine([.start, .startDetecting, .startCapturing])),
            ("area", try machine([.start, .startCapturing])),
            ("finishing", try machine([.start, .startDetecting, .startCapturing, .finish])),
            ("completed", completed), ("cancelled", try machine([.start, .cancel])), ("readyPaused", try machine([.start, .pause])),
            ("detectingPaused", try machine([.start, .startDetecting, .pause])),
            ("capturingPaused", try machine([.start, .startDetecting, .startCapturing, .pause])),
        ]
    }

    /// The state after each allowed call; all other calls are refused.
    private static let allowed: [String: [Call: Machine.State]] = {
        let capturing: [Call: Machine.State] = [
            .pause: .capturing, .beginNewScanPass: .capturing, .beginNewScanPassAfterFlip: .ready, .requestImageCapture: .capturing,
            .finish: .finishing, .adjustBoundingBox: .capturing, .cancel: .failed(.cancelled),
        ]
        return [
            "new": [.start: .initializing, .cancel: .failed(.cancelled)], "initializing": [.cancel: .failed(.cancelled)],
            "ready": [.pause: .ready, .startDetecting: .detecting, .startCapturing: .capturing, .cancel: .failed(.cancelled)],
            "detecting": [
                .pause: .detecting, .resetDetection: .ready, .startCapturing: .capturing, .adjustBoundingBox: .detecting,
                .cancel: .failed(.cancelled),
            ],
            "capturing": capturing, "area": capturing, "finishing": [.cancel: .failed(.cancelled)], "completed": [:], "cancelled": [:],
            "readyPaused": [.resume: .ready, .cancel: .failed(.cancelled)],
            "detectingPaused": [.resume: .detecting, .cancel: .failed(.cancelled)],
            "capturingPaused": [.resume: .capturing, .cancel: .failed(.cancelled)],
        ]
    }()

    @Test(arguments: Call.allCases) func everyCallInEveryState(_ call: Call) throws {
        for (name, before) in try Self.states() {
            var machine = before
            let expected = try #require(Self.allowed[name])[call]
            do throws(ObjectCaptureSession.InvalidCall) {
                try machine.perform(call, .init(hasBox: true, canRequestImageCapture: true))
                #expect(machine.state == expected, "\(name): \(call)")
                #expect(machine.isPaused == (call == .pause), "\(name): \(call)")
            } catch {
                #expect(expected == nil, "\(name): \(error)")
                #expect(machine == before, "a refused call changes nothing")
                #expect((error.call, error.state) == (call, before.state))
                #expect(error.reason.count > 15 && error.description.hasPrefix(call.rawValue))
            }
        }
    }

    @Test func conditionsOfCalls() throws {
        var machine = Machine()
        try machine.perform(.start)
        machine.receiveFrame()
        try machine.perform(.startDetecting)
        #expect(throws: ObjectCaptureSession.InvalidCall.self) { try machine.perform(.startCapturing) }
        try machine.perform(.adjustBoundingBox)
        try machine.perform(.startCapturing, .init(hasBox: true))
        #expect(throws: ObjectCaptureSession.InvalidCall.self) { try machine.perform(.requestImageCapture) }
        #expect(throws: ObjectCaptureSession.InvalidCall.self, "an area has no box") { try machine.perform(.adjustBoundingBox) }
    }

    @Test func eventsOfTheSession() throws {
        for (name, before) in try Self.states() {
            var machine = before
            machine.receiveFrame()
            #expect(machine.state == (name == "initializing" ? .ready : before.state), "the first frame makes a started session ready")
            machine = before
            machine.complete()
            #expect(machine.state == (name == "finishing" ? .completed : before.state))
            machine = before
            machine.fail(.sensorFailed("unplugged"))
            #expect(machine.isOver && !machine.isPaused)
            #expect(machine.state == (before.isOver ? before.state : .failed(.sensorFailed("unplugged"))), "the first error stays")
        }
    }
}

@Suite struct PassAdviceTests {
    @Test func missingHeightsComeBeforeAFlip() {
        var dial = CaptureDial()
        func addRing(_ elevation: Double) {
            for azimuth in stride(from: 0.0, to: 360, by: 15) { dial.add(CoverageGrid.Direction(azimuth: azimuth, elevation: elevation)) }
        }
        addRing(30)
        #expect(dial.isComplete && PassAdvice(dial, isFlippable: true, flips: 0) == .anotherHeight(.high))
        // After a flip, one ring suffices.
        #expect(PassAdvice(dial, isFlippable: true, flips: 1) == .finish)
        addRing(60)
        #expect(PassAdvice(dial, isFlippable: true, flips: 0) == .anotherHeight(.low))
        addRing(8)
        #expect(PassAdvice(dial, isFlippable: true, flips: 0) == .flip)
        #expect(PassAdvice(dial, isFlippable: false, flips: 0) == .finish && PassAdvice(dial, isFlippable: nil, flips: 0) == .finish)
    }
}
