import Testing
import VitrineMath
import VitrineWindow

/// Feeds a recogniser as a window would.
private struct Hand {
    var recognizer = GestureRecognizer()
    var modifiers: KeyModifiers = []
    var time = 0.0

    mutating func does(_ kind: InputEvent.Kind, after seconds: Double = 0.016) -> [ViewGesture] {
        time += seconds
        return recognizer.handle(InputEvent(kind, modifiers: modifiers, time: time))
    }
}

/// The sum of all drags of one kind.
private func total(_ gestures: [ViewGesture], _ kind: DragKind) -> Vector2 {
    gestures.reduce(Vector2(0, 0)) { sum, gesture in
        if case .dragged(kind, let step) = gesture { sum + step } else { sum }
    }
}

@Suite struct PointerGestures {
    @Test(arguments: [
        (.left, [], .orbit), (.right, [], .pan), (.middle, [], .pan), (.left, .control, .pan), (.left, .shift, .environment),
        (.right, .shift, .environment),
    ] as [(PointerButton, KeyModifiers, DragKind)])
    func buttonsDecide(button: PointerButton, modifiers: KeyModifiers, kind: DragKind) {
        var hand = Hand(modifiers: modifiers)
        #expect(hand.does(.pointerPressed(button, at: Vector2(100, 100), clicks: 1)) == [.dragBegan(kind)])
        _ = hand.does(.pointerMoved(to: Vector2(110, 100)))
        #expect(hand.does(.pointerMoved(to: Vector2(130, 95))) == [.dragged(kind, by: Vector2(20, -5))])
        guard case .dragEnded(kind, let velocity)? = hand.does(.pointerReleased(button, at: Vector2(130, 95))).last else {
            Issue.record("no end")
            return
        }
        #expect(velocity.x > 500 && velocity.y < 0)
    }

    @Test func kindStaysWhenModifiersChange() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        _ = hand.does(.pointerMoved(to: Vector2(10, 0)))
        hand.modifiers = .shift
        #expect(hand.does(.pointerMoved(to: Vector2(15, 0))) == [.dragged(.orbit, by: Vector2(5, 0))])
    }

    @Test func otherButtonsAreIgnoredDuringADrag() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        _ = hand.does(.pointerMoved(to: Vector2(10, 0)))
        #expect(hand.does(.pointerPressed(.right, at: Vector2(10, 0), clicks: 1)) == [])
        #expect(hand.does(.pointerReleased(.right, at: Vector2(10, 0))) == [])
        #expect(hand.does(.pointerMoved(to: Vector2(12, 0))) == [.dragged(.orbit, by: Vector2(2, 0))])
    }

    @Test func movingWithoutAButtonMeansNothing() {
        var hand = Hand()
        #expect(hand.does(.pointerMoved(to: Vector2(10, 0))) == [])
        #expect(hand.does(.pointerPressed(.other(4), at: Vector2(0, 0), clicks: 1)) == [])
        #expect(!hand.recognizer.isActive)
    }

    @Test func aHandThatRestedLetsGoWithoutVelocity() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        for x in 1...5 { _ = hand.does(.pointerMoved(to: Vector2(Float(x) * 10, 0))) }
        #expect(hand.does(.pointerReleased(.left, at: Vector2(50, 0)), after: 0.2) == [.dragEnded(.orbit, velocity: Vector2(0, 0))])
    }

    @Test func velocityIsThatOfTheHand() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        for step in 1...20 { _ = hand.does(.pointerMoved(to: Vector2(Float(step) * 8, Float(step) * -4)), after: 0.01) }
        guard case .dragEnded(.orbit, let velocity)? = hand.does(.pointerReleased(.left, at: Vector2(160, -80)), after: 0.001).last else {
            Issue.record("no end")
            return
        }
        #expect(abs(velocity.x - 800) < 1 && abs(velocity.y + 400) < 1)
    }

    @Test func velocitySurvivesBurstsOfEvents() {
        // Frames of 120 ms deliver ten moves at once, all with one time stamp.
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        var x: Float = 0
        for _ in 0..<3 {
            hand.time += 0.12
            for _ in 0..<10 {
                x += 6
                _ = hand.does(.pointerMoved(to: Vector2(x, 0)), after: 0)
            }
        }
        guard case .dragEnded(.orbit, let velocity)? = hand.does(.pointerReleased(.left, at: Vector2(x, 0)), after: 0).last else {
            Issue.record("no end")
            return
        }
        // 60 points in 120 ms are 500 a second; a burst knows it only roughly.
        #expect(velocity.x > 150 && velocity.x < 1000)
    }

    @Test func clickAndDoubleClick() {
        var hand = Hand()
        let place = Vector2(40, 50)
        func click(_ hand: inout Hand, at place: Vector2, after: Double) -> ViewGesture? {
            _ = hand.does(.pointerPressed(.left, at: place, clicks: 1), after: after)
            return hand.does(.pointerReleased(.left, at: place)).last
        }
        #expect(click(&hand, at: place, after: 1) == .tapped(at: place))
        #expect(click(&hand, at: place, after: 0.1) == .doubleTapped(at: place))
        #expect(click(&hand, at: place, after: 0.1) == .tapped(at: place), "a third click begins anew")
        #expect(click(&hand, at: place, after: 0.5) == .tapped(at: place), "too late")
        #expect(click(&hand, at: place + Vector2(60, 0), after: 0.1) == .tapped(at: place + Vector2(60, 0)), "elsewhere")
    }

    @Test func aTremblingClickIsNoDrag() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(40, 50), clicks: 1))
        #expect(hand.does(.pointerMoved(to: Vector2(42, 51))) == [])
        #expect(hand.does(.pointerReleased(.left, at: Vector2(42, 51))).last == .tapped(at: Vector2(42, 51)))
    }

    @Test func losingFocusLetsGo() {
        var hand = Hand()
        _ = hand.does(.pointerPressed(.left, at: Vector2(0, 0), clicks: 1))
        #expect(hand.does(.focusLost) == [.dragEnded(.orbit, velocity: Vector2(0, 0))])
        #expect(hand.does(.pointerMoved(to: Vector2(50, 0))) == [])
        #expect(hand.does(.focusLost) == [])
    }
}

@Suite struct WheelGestures {
    @Test func rollingAwayComesNearer() {
        var hand = Hand()
        guard case .zoomed(let nearer, let place, false)? = hand.does(.scrolled(Vector2(0, 1), at: Vector2(7, 8))).first,
            case .zoomed(let farther, _, _)? = hand.does(.scrolled(Vector2(0, -1), at: Vector2(7, 8))).first
        else {
            Issue.record("no zoom")
            return
        }
        #expect(nearer > 1 && place == Vector2(7, 8))
        #expect(abs(nearer * farther - 1) < 1e-6, "one notch back undoes one notch")
    }

    @Test func oneEventIsBounded() {
        var hand = Hand()
        guard case .zoomed(let factor, _, _)? = hand.does(.scrolled(Vector2(0, 1e6), at: Vector2(0, 0))).first else {
            Issue.record("no zoom")
            return
        }
        #expect(factor < 5)
        #expect(hand.does(.scrolled(Vector2(0, .nan), at: Vector2(0, 0))) == [])
        #expect(hand.does(.scrolled(Vector2(3, 0), at: Vector2(0, 0))) == [])
    }
}

@Suite struct TouchGestures {
    @Test func oneFingerOrbits() {
        var hand = Hand()
        #expect(hand.does(.touchBegan(id: 1, at: Vector2(100, 100))) == [.dragBegan(.orbit)])
        _ = hand.does(.touchMoved(id: 1, to: Vector2(120, 100)))
        #expect(hand.does(.touchMoved(id: 1, to: Vector2(125, 103))) == [.dragged(.orbit, by: Vector2(5, 3))])
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(125, 103))).count == 1)
        #expect(!hand.recognizer.isActive)
    }

    @Test func twoFingersPanAndPinch() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        #expect(hand.does(.touchBegan(id: 2, at: Vector2(200, 100))) == [.dragEnded(.orbit, velocity: Vector2(0, 0)), .dragBegan(.pan)])
        // Both move right by 20: a pan by 20, and a spread that ends as it began.
        let moves = hand.does(.touchMoved(id: 1, to: Vector2(120, 100))) + hand.does(.touchMoved(id: 2, to: Vector2(220, 100)))
        #expect(total(moves, .pan) == Vector2(20, 0))
        #expect(abs(zoom(moves) - 1) < 1e-5)
        // Apart to twice the distance, around the same middle.
        let apart = hand.does(.touchMoved(id: 1, to: Vector2(70, 100))) + hand.does(.touchMoved(id: 2, to: Vector2(270, 100)))
        #expect(abs(zoom(apart) - 2) < 1e-5)
        #expect(total(apart, .pan) == Vector2(0, 0))
    }

    @Test func liftingOneFingerGoesBackToOrbitWithoutAJump() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchBegan(id: 2, at: Vector2(200, 100)))
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(100, 100))) == [.dragEnded(.pan, velocity: Vector2(0, 0)), .dragBegan(.orbit)])
        #expect(hand.does(.touchMoved(id: 2, to: Vector2(203, 100))) == [.dragged(.orbit, by: Vector2(3, 0))])
        #expect(hand.does(.touchEnded(id: 2, at: Vector2(203, 100))).contains { if case .tapped = $0 { true } else { false } } == false)
    }

    @Test func aThirdFingerIsIgnored() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchBegan(id: 2, at: Vector2(200, 100)))
        #expect(hand.does(.touchBegan(id: 3, at: Vector2(300, 300))) == [])
        #expect(hand.does(.touchMoved(id: 3, to: Vector2(0, 0))) == [])
        #expect(hand.does(.touchEnded(id: 3, at: Vector2(0, 0))) == [])
        #expect(hand.recognizer.isActive)
    }

    @Test func aTapByFinger() {
        var hand = Hand()
        _ = hand.does(.touchBegan(id: 1, at: Vector2(100, 100)))
        _ = hand.does(.touchMoved(id: 1, to: Vector2(104, 103)))
        #expect(hand.does(.touchEnded(id: 1, at: Vector2(104, 103))).last == .tapped(at: Vector2(104, 103)))
    }

    private func zoom(_ gestures: [ViewGesture]) -> Float {
        gestures.reduce(1) { product, gesture in
            if case .zoomed(let factor, _, isContinuous: true) = gesture { product * factor } else { product }
        }
    }
}
